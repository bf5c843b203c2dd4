import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, print, printable, wholeNumber, withOperations } from './terminal.ts';

interface ReleaseOptions {
  readonly platform: string;
  readonly channel: string;
  readonly image: string;
  readonly img?: string;
}

const outcomes = {
  new: 'is offered now',
  again: 'is offered again',
  known: 'is already offered; nothing changed',
} as const;

async function addRelease(version: string, { platform, channel, image, img }: ReleaseOptions): Promise<void> {
  const release = { version, platform, channel, image_url: image, ...(img !== undefined && { dot_img_url: img }) };
  const added = await withOperations('releases', (releases) => releases.add(release));
  print(`Release ${added.id} (${added.version}, ${platform}, ${channel}) ${outcomes[added.outcome]}.`);
}

async function listReleases(): Promise<void> {
  const rows = await withOperations('releases', (releases) => releases.list());
  print(['id', 'channel', 'platform', 'version', 'offered', 'since', 'image', 'img'].join('\t'));
  for (const { id, channel, platform, version, isOffered, created_at, image_url, dot_img_url } of rows)
    print(
      [id, channel, platform, version, isOffered ? 'yes' : 'no', created_at, image_url, dot_img_url ?? '']
        .map(printable)
        .join('\t'),
    );
}

async function removeRelease(id: number): Promise<void> {
  const removed = await withOperations('releases', (releases) => releases.remove(id));
  if (!removed) throw new CommandError(`There is no release ${id}.`);
  print(`Removed release ${id} (${printable(removed.version)}, ${removed.platform}, ${removed.channel}).`);
}

interface BulletinOptions {
  readonly to: string;
  readonly title: string;
  readonly content: string;
  readonly type: string;
  readonly href?: string;
  readonly hrefLabel?: string;
}

const devices = (count: number): string => `${count} ${count === 1 ? 'robot' : 'robots'}`;

async function addBulletin({ to, hrefLabel, ...texts }: BulletinOptions): Promise<void> {
  const bulletin = { ...texts, ...(hrefLabel !== undefined && { href_label: hrefLabel }) };
  const { slug, existed, notifiedDevices } = await withOperations('bulletins', (bulletins) =>
    bulletins.add(to, bulletin),
  );
  print(
    existed
      ? `Bulletin ${slug} already exists; ${devices(notifiedDevices)} without an alert got one.`
      : `Created bulletin ${slug}; ${devices(notifiedDevices)} got an alert.`,
  );
}

async function listBulletins(): Promise<void> {
  const rows = await withOperations('bulletins', (bulletins) => bulletins.list());
  print(['slug', 'type', 'unread', 'since', 'title'].join('\t'));
  for (const { slug, type, unread, created_at, title } of rows)
    print([slug, type, unread, created_at, title ?? ''].map(printable).join('\t'));
}

async function removeBulletin(slug: string): Promise<void> {
  const count = await withOperations('bulletins', (bulletins) => bulletins.remove(slug));
  if (count === null) throw new CommandError(`There is no bulletin ${printable(slug)}.`);
  print(`Removed bulletin ${printable(slug)}, which ${devices(count)} had not read.`);
}

async function listFeedback(): Promise<void> {
  const rows = await withOperations('feedback', (feedback) => feedback.list());
  print(['id', 'since', 'device', 'email', 'page', 'message'].join('\t'));
  for (const { id, created_at, device_id, email, slug, message } of rows)
    print([id, created_at, device_id, email, slug ?? '', message.replaceAll(/\s+/g, ' ')].map(printable).join('\t'));
}

async function removeFeedback(id: number): Promise<void> {
  if (!(await withOperations('feedback', (feedback) => feedback.remove(id))))
    throw new CommandError(`There is no message ${id}.`);
  print(`Removed message ${id}.`);
}

async function announceReload({ commit }: { readonly commit?: string }): Promise<void> {
  const short = await withOperations('reload', (reload) => reload.announce(commit));
  print(`The server will ask users to reload the web app (build ${short}).`);
}

/** Adds the commands for operators: releases, bulletins, feedback, and reloading browsers. */
export function addOperatingCommands(program: Command): void {
  const release = program.command('release').description("manage releases of the robot's operating system");
  release
    .command('add')
    .description('add a release and offer it to robots')
    .argument('<version>', 'version, such as 15.4.6 or 15.4.6-rc1')
    .requiredOption('--platform <name>', 'rpi, rpi3 or rpi4')
    .requiredOption('--image <address>', 'URL of the update for robots (.fw)')
    .option('--img <address>', 'URL of the SD card image (.img)')
    .option('--channel <name>', 'stable, beta or alpha', 'stable')
    .action(addRelease);
  release.command('list').description('list all releases').action(listReleases);
  release
    .command('remove')
    .description('remove a release; the previous one is offered instead')
    .argument('<id>', 'id of the release, see "release list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(removeRelease);

  const bulletin = program.command('bulletin').description('manage bulletins for users');
  bulletin
    .command('add')
    .description('publish a bulletin; adding it again completes an interrupted command')
    .requiredOption('--to <recipient>', 'all, or the e-mail address of a user')
    .requiredOption('--title <text>', 'title, from which the slug is derived')
    .requiredOption('--content <text>', 'message, in Markdown')
    .addOption(new Option('--type <type>', 'style').choices(['info', 'success', 'warn']).default('info'))
    .option('--href <address>', 'URL of a link')
    .option('--href-label <text>', 'text of the link')
    .action(addBulletin);
  bulletin.command('list').description('list all bulletins').action(listBulletins);
  bulletin
    .command('remove')
    .description('delete a bulletin and its unread alerts')
    .argument('<slug>', 'slug of the bulletin, see "bulletin list"')
    .action(removeBulletin);

  const feedback = program.command('feedback').description('read what users wrote to you');
  feedback.command('list').description('list the messages, oldest first').action(listFeedback);
  feedback
    .command('remove')
    .description('delete a message')
    .argument('<id>', 'id of the message, see "feedback list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(removeFeedback);

  program
    .command('announce-reload')
    .description('ask users with the web app open to reload it')
    .option('--commit <name>', 'commit of the new build (default: the version of Potager)')
    .action(announceReload);
}
