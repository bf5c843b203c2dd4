import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, print, printable, wholeNumber, withApp } from './terminal.ts';

interface ReleaseOptions {
  readonly platform: string;
  readonly channel: string;
  readonly image: string;
  readonly img?: string;
}

const told = {
  new: 'is offered from now on',
  again: 'is offered again from now on',
  known: 'is offered already; nothing changed',
} as const;

async function addRelease(version: string, { platform, channel, image, img }: ReleaseOptions): Promise<void> {
  const wish = { version, platform, channel, image_url: image, ...(img !== undefined && { dot_img_url: img }) };
  const added = await withApp((app) => app.operations.releases.add(wish));
  print(`Release ${added.id} (${added.version}, ${platform}, ${channel}) ${told[added.outcome]}.`);
}

async function listReleases(): Promise<void> {
  const rows = await withApp((app) => app.operations.releases.list());
  print(['id', 'channel', 'platform', 'version', 'offered', 'since', 'image', 'img'].join('\t'));
  for (const { id, channel, platform, version, isOffered, created_at, image_url, dot_img_url } of rows)
    print(
      [id, channel, platform, version, isOffered ? 'yes' : 'no', created_at, image_url, dot_img_url ?? '']
        .map(printable)
        .join('\t'),
    );
}

async function removeRelease(id: number): Promise<void> {
  const gone = await withApp((app) => app.operations.releases.remove(id));
  if (!gone) throw new CommandError(`There is no release ${id}.`);
  print(`Removed release ${id} (${printable(gone.version)}, ${gone.platform}, ${gone.channel}).`);
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
  const wish = { ...texts, ...(hrefLabel !== undefined && { href_label: hrefLabel }) };
  const { slug, existed, notifiedDevices } = await withApp((app) => app.operations.bulletins.add(to, wish));
  print(
    existed
      ? `Bulletin ${slug} was there already; ${devices(notifiedDevices)} that had no alert of it got one.`
      : `Bulletin ${slug} was made; ${devices(notifiedDevices)} got an alert of it.`,
  );
}

async function listBulletins(): Promise<void> {
  const rows = await withApp((app) => app.operations.bulletins.list());
  print(['slug', 'type', 'unread', 'since', 'title'].join('\t'));
  for (const { slug, type, unread, created_at, title } of rows)
    print([slug, type, unread, created_at, title ?? ''].map(printable).join('\t'));
}

async function removeBulletin(slug: string): Promise<void> {
  const count = await withApp((app) => app.operations.bulletins.remove(slug));
  if (count === null) throw new CommandError(`There is no bulletin ${printable(slug)}.`);
  print(`Removed bulletin ${printable(slug)}; ${devices(count)} had not read it.`);
}

async function announceReload({ commit }: { readonly commit?: string }): Promise<void> {
  const short = await withApp((app) => app.operations.reload.announce(commit));
  print(`The server will ask open browsers to load build ${short}.`);
}

/** Adds the commands for people who run a server for others: releases, news, and the reload of open browsers. */
export function addOperatingCommands(program: Command): void {
  const release = program.command('release').description("look after the versions of the robot's operating system");
  release
    .command('add')
    .description('offer a version to robots; updates are theirs to fetch')
    .argument('<version>', '15.4.6, or 15.4.6-rc1 for a release candidate')
    .requiredOption('--platform <name>', 'rpi, rpi3 or rpi4')
    .requiredOption('--image <address>', 'where robots load the update (.fw) from')
    .option('--img <address>', 'where people load the image for a new card (.img) from')
    .option('--channel <name>', 'stable, beta or alpha', 'stable')
    .action(addRelease);
  release.command('list').description('list the versions that are known').action(listReleases);
  release
    .command('remove')
    .description('offer a version no longer; the one before it takes its place')
    .argument('<id>', 'its number in the list', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(removeRelease);

  const bulletin = program.command('bulletin').description('look after news for the users');
  bulletin
    .command('add')
    .description('have news shown to users; the same again reaches those who have no alert of it')
    .requiredOption('--to <whom>', 'all, or the e-mail address of one user')
    .requiredOption('--title <text>', 'the heading')
    .requiredOption('--content <text>', 'what there is to say')
    .addOption(new Option('--type <type>', 'how it looks').choices(['info', 'success', 'warn']).default('info'))
    .option('--href <address>', 'where a link in it leads')
    .option('--href-label <text>', 'what the link says')
    .action(addBulletin);
  bulletin.command('list').description('list all news').action(listBulletins);
  bulletin
    .command('remove')
    .description('take news back, from those who have not read it too')
    .argument('<slug>', 'its name in the list')
    .action(removeBulletin);

  program
    .command('announce-reload')
    .description('ask everybody who has the web app open to load it anew')
    .option('--commit <name>', 'the name of the new build (default: the version of this program)')
    .action(announceReload);
}
