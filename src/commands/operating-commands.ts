import type { Command } from 'commander';
import { Option } from 'commander';
import type { Listed } from './database-session.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import { CommandError, print, printable, wholeNumber } from './terminal.ts';

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

const releaseListing = new Listing<Listed<'releases'>>({
  id: ({ id }) => id,
  channel: ({ channel }) => channel,
  platform: ({ platform }) => platform,
  version: ({ version }) => version,
  offered: ({ isOffered }) => isOffered,
  since: ({ created_at }) => created_at,
  image: ({ image_url }) => image_url,
  img: ({ dot_img_url }) => dot_img_url,
});

async function listReleases(options: ListOptions): Promise<void> {
  releaseListing.print(await withOperations('releases', (releases) => releases.list()), options);
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

const bulletinListing = new Listing<Listed<'bulletins'>>({
  slug: ({ slug }) => slug,
  type: ({ type }) => type,
  unread: ({ unread }) => unread,
  since: ({ created_at }) => created_at,
  title: ({ title }) => title,
});

async function listBulletins(options: ListOptions): Promise<void> {
  bulletinListing.print(await withOperations('bulletins', (bulletins) => bulletins.list()), options);
}

async function removeBulletin(slug: string): Promise<void> {
  const count = await withOperations('bulletins', (bulletins) => bulletins.remove(slug));
  if (count === null) throw new CommandError(`There is no bulletin ${printable(slug)}.`);
  print(`Removed bulletin ${printable(slug)}, which ${devices(count)} had not read.`);
}

const feedbackListing = new Listing<Listed<'feedback'>>({
  id: ({ id }) => id,
  since: ({ created_at }) => created_at,
  device: ({ device_id }) => device_id,
  email: ({ email }) => email,
  page: ({ slug }) => slug,
  message: ({ message }) => message,
});

async function listFeedback(options: ListOptions): Promise<void> {
  feedbackListing.print(await withOperations('feedback', (feedback) => feedback.list()), options);
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

function addReleaseCommands(program: Command): void {
  const release = program.command('release').description("manage releases of the robot's operating system");
  const add = release
    .command('add')
    .description('add a release and offer it to robots')
    .argument('<version>', 'version, such as 15.4.6 or 15.4.6-rc1')
    .requiredOption('--platform <name>', 'rpi, rpi3 or rpi4')
    .requiredOption('--image <address>', 'URL of the update for robots (.fw)')
    .option('--img <address>', 'URL of the SD card image (.img)')
    .option('--channel <name>', 'stable, beta or alpha', 'stable')
    .action(addRelease);
  withExamples(
    add,
    'release add 15.4.6 --platform rpi3 --image https://os.example/rpi3-15.4.6.fw',
    'release add 15.5.0-rc1 --platform rpi4 --channel beta --image https://os.example/rpi4-15.5.0-rc1.fw',
  );
  const list = release.command('list').description('list all releases').action(listReleases);
  withExamples(releaseListing.addTo(list), 'release list', 'release list --json');
  const remove = release
    .command('remove')
    .description('remove a release; the previous one is offered instead')
    .argument('<id>', 'id of the release, see "release list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(removeRelease);
  withExamples(remove, 'release remove 7', 'release remove 7 --data-dir /srv/garden');
}

function addBulletinCommands(program: Command): void {
  const bulletin = program.command('bulletin').description('manage bulletins for users');
  const add = bulletin
    .command('add')
    .description('publish a bulletin; adding it again completes an interrupted command')
    .requiredOption('--to <recipient>', 'all, or the e-mail address of a user')
    .requiredOption('--title <text>', 'title, from which the slug is derived')
    .requiredOption('--content <text>', 'message, in Markdown')
    .addOption(new Option('--type <type>', 'style').choices(['info', 'success', 'warn']).default('info'))
    .option('--href <address>', 'URL of a link')
    .option('--href-label <text>', 'text of the link')
    .action(addBulletin);
  withExamples(
    add,
    'bulletin add --to all --type warn --title "Maintenance" --content "The server is down tonight at 10."',
    'bulletin add --to ada@example.com --title "Welcome" --content "Your garden is ready."',
  );
  const list = bulletin.command('list').description('list all bulletins').action(listBulletins);
  withExamples(bulletinListing.addTo(list), 'bulletin list', 'bulletin list --json');
  const remove = bulletin
    .command('remove')
    .description('delete a bulletin and its unread alerts')
    .argument('<slug>', 'slug of the bulletin, see "bulletin list"')
    .action(removeBulletin);
  withExamples(remove, 'bulletin remove maintenance', 'bulletin remove maintenance --data-dir /srv/garden');
}

function addFeedbackCommands(program: Command): void {
  const feedback = program.command('feedback').description('read what users wrote to you');
  const list = feedback.command('list').description('list the messages of users, oldest first').action(listFeedback);
  withExamples(feedbackListing.addTo(list), 'feedback list', 'feedback list --json');
  const remove = feedback
    .command('remove')
    .description('delete a message of a user')
    .argument('<id>', 'id of the message, see "feedback list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(removeFeedback);
  withExamples(remove, 'feedback remove 7', 'feedback remove 7 --data-dir /srv/garden');
}

/** Adds the commands for operators: releases, bulletins, feedback, and reloading browsers. */
export function addOperatingCommands(program: Command): void {
  addReleaseCommands(program);
  addBulletinCommands(program);
  addFeedbackCommands(program);
  const reload = program
    .command('announce-reload')
    .description("ask users with the vendor's web app open to reload it")
    .option('--commit <name>', 'commit of the new build (default: the version of Potager)')
    .action(announceReload);
  withExamples(reload, 'announce-reload', 'announce-reload --commit 0a1b2c3d');
}
