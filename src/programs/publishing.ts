import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { text } from '../engine/fields.ts';
import { announceChanged, find, show } from '../engine/records.ts';
import { assertProgram, ProgramError } from './program-store.ts';
import type { SequencePublication } from './publications.ts';
import { sequencePublications, sequenceVersions } from './publications.ts';
import { findUnpublishable } from './publishable.ts';
import type { Sequence } from './sequence-program.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequences } from './sequences.ts';
import { sequenceFields, sequenceTree, versionTree } from './tree.ts';

/** What publishing asks of the rooms that know people. */
export interface AuthorDirectory {
  /** Whether somebody tries Potager with this device. They cannot publish. */
  isDemoDevice(scope: DeviceScope): Promise<boolean>;
  /** The e-mail addresses of a device's users, the first user's first. */
  emailAddresses(scope: ServerScope, deviceId: number): Promise<readonly string[]>;
}

/** What publishing is told: under which licence it is shared. */
export const licenseFields = { copyright: text().max(1500).required() };

export interface PublishRequest {
  readonly sequenceId: number;
  /** Holds the `copyright`. */
  readonly body: Body;
  /** Whatever the program holds: for operators only. */
  readonly force?: true;
}

/** Announces the change under a label of its own: the browser that asked waits for it, and would take the request's for its own echo. Gives the JSON. [reference 4.6] */
export async function announceToAll(scope: DeviceScope, id: number, label: string = randomUUID()): Promise<string> {
  const json = await show(scope, sequences, id);
  announceChanged(scope, sequences, id, json, label);
  return json;
}

/** The publication as its author sees it, as JSON. [reference 5.1] */
const publicationJson = ({ device_id, ...row }: SequencePublication): string =>
  JSON.stringify({ ...row, author_device_id: device_id });

const publicationOf = (scope: DeviceScope, sequenceId: number): Promise<SequencePublication | undefined> =>
  scope.first(sequencePublications, { where: { author_sequence_id: sequenceId } });

/** Judged is what the sequence itself holds: what it links to was published already. Throws 422. [reference 5.4] */
function assertPublishable({ args, body }: Sequence): void {
  const names = findUnpublishable(sequenceTree({ ...args }, body).root);
  if (names.length === 0) return;
  throw invalid({ sequence: `These parts of a program cannot be published: ${names.join(', ')}.` });
}

/** The program to publish, as versions keep it. Throws 422 if it is not right any more. */
async function programToShare(scope: DeviceScope, sequence: Sequence) {
  const { args, body } = await findShownProgram(scope, sequence);
  const tree = versionTree({ ...args }, body);
  try {
    await assertProgram(scope, tree, { kind: 'Sequence', id: sequence.id });
  } catch (error) {
    throw error instanceof ProgramError ? refused(error.problem.message) : error;
  }
  return sequenceFields(tree.root);
}

async function published(
  scope: DeviceScope,
  authors: AuthorDirectory,
  sequenceId: number,
): Promise<SequencePublication> {
  const before = await publicationOf(scope, sequenceId);
  if (before) {
    const [row] = await scope.update(sequencePublications, { published: true }, { where: { id: before.id } });
    return row ?? before;
  }
  const [email] = await authors.emailAddresses(scope.server, scope.deviceId);
  if (email === undefined) throw refused('Only sequences of an account with a user can be published.');
  return scope.insert(sequencePublications, {
    author_sequence_id: sequenceId,
    cached_author_email: email,
    published: true,
  });
}

/** Authors are gone: what they shared stays, without their address. `of` says whose: all of a device, or one person's. In a transaction. */
export async function anonymizeAuthors(
  server: ServerScope,
  of: Pick<SequencePublication, 'device_id'> | Pick<SequencePublication, 'cached_author_email'>,
): Promise<void> {
  await server.update(sequencePublications, { cached_author_email: '' }, { where: of });
}

/** Publishes a sequence as it is now: a further version, beside those before. In a transaction. Gives the publication's JSON. Throws 404, 422. [reference 5.2] */
export async function publishSequence(
  scope: DeviceScope,
  authors: AuthorDirectory,
  publishing: PublishRequest,
): Promise<string> {
  const { sequenceId, body, force } = publishing;
  const sequence = await find(scope, sequences, sequenceId);
  const reading = parseBody(licenseFields, body, 'create');
  assertValid(reading);
  const copyright = String(reading.values.copyright);
  if (await authors.isDemoDevice(scope))
    throw invalid({ guest_account: 'Demo accounts cannot publish. Create an account first.' });
  if (!force) assertPublishable(sequence);
  const program = await programToShare(scope, sequence);
  const publication = await published(scope, authors, sequenceId);
  const { name, color, description } = sequence;
  await scope.server.insert(sequenceVersions, {
    publication_id: publication.id,
    name,
    color,
    description,
    copyright,
    ...program,
  });
  await scope.update(sequences, { copyright }, { where: { id: sequenceId } });
  await announceToAll(scope, sequenceId);
  return publicationJson(publication);
}

/** Withdraws all versions: nobody new gets them, who has one keeps it. Publishing again brings none of them back. In a transaction. Gives the publication's JSON. Throws 404. [reference 5.2] */
export async function unpublishSequence(scope: DeviceScope, sequenceId: number): Promise<string> {
  await find(scope, sequences, sequenceId);
  const before = await publicationOf(scope, sequenceId);
  if (!before) throw notFound('Publication');
  const withdrawn = { withdrawn_at: currentTimestamp(scope.clock) };
  await scope.server.update(sequenceVersions, withdrawn, {
    where: { publication_id: before.id, withdrawn_at: null },
  });
  const [row] = await scope.update(sequencePublications, { published: false }, { where: { id: before.id } });
  await scope.update(sequences, {}, { where: { id: sequenceId } });
  await announceToAll(scope, sequenceId);
  return publicationJson(row ?? before);
}
