import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { acrossDevices, only } from '../db/table.ts';
import type { Gardens } from '../device/gardens.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { text } from '../engine/fields.ts';
import { announceChanged, find, show } from '../engine/records.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { argRules, grammar } from './grammar.ts';
import { say } from './messages.ts';
import { assertProgram, ProgramError } from './program-store.ts';
import type { SequencePublication } from './publications.ts';
import { sequencePublications, sequenceVersions } from './publications.ts';
import { deleteUninstalledVersions, insertVersion, isNewestVersion } from './published-versions.ts';
import type { Sequence } from './sequence-program.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequences } from './sequences.ts';
import type { Node } from './tree.ts';
import { bodyOf, isNode, sequenceFields, sequenceTree, versionTree } from './tree.ts';

export interface PublishingServices {
  readonly gardens: Gardens;
  readonly quotas: Quotas;
}

/** The fields of a request to publish. */
export const licenseFields = { copyright: text().max(1500).required().label(labels.copyright) };

export interface PublishRequest {
  readonly sequenceId: number;
  /** Contains the `copyright`. */
  readonly body: Body;
  /** Skips {@link assertPublishable}; for operators only. */
  readonly force?: true;
}

/** Announces a change under a new label, because the requesting browser would drop one under the request's. Returns the JSON. [rule P27] */
export async function announceToAll(scope: DeviceScope, id: number, label: string = randomUUID()): Promise<string> {
  const json = await show(scope, sequences, id);
  announceChanged(scope, sequences, id, json, label);
  return json;
}

/** Returns a publication's JSON for its author. [rule P28] */
const publicationJson = ({ device_id, ...row }: SequencePublication): string =>
  JSON.stringify({ ...row, author_device_id: device_id });

const publicationOf = (scope: DeviceScope, sequenceId: number): Promise<SequencePublication | undefined> =>
  scope.first(sequencePublications, { where: { author_sequence_id: sequenceId } });

/** Returns the kinds and the arguments with plain values that may not be published, sorted and without duplicates. [rule P33] */
export function findUnpublishable(root: Node): string[] {
  const names = new Set<string>();
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!grammar.get(node.kind)?.row.shared) names.add(node.kind);
    for (const [name, value] of Object.entries(node.args)) {
      if (isNode(value)) stack.push(value);
      else if (!argRules.get(name)?.row.shared) names.add(name);
    }
    stack.push(...bodyOf(node));
  }
  return [...names].sort();
}

/** Checks the sequence's own program; a linked one was published already. Throws 422. [rule P33] */
function assertPublishable({ args, body }: Sequence): void {
  const names = findUnpublishable(sequenceTree({ ...args }, body).root);
  if (names.length === 0) return;
  throw invalid({ sequence: say.unpublishable(names.join(', ')) });
}

/** Returns the shown program as versions store it. Throws 422 if it is no longer valid. */
async function readProgramToPublish(scope: DeviceScope, sequence: Sequence) {
  const { args, body } = await findShownProgram(scope, sequence);
  const tree = versionTree({ ...args }, body);
  try {
    await assertProgram(scope, tree, { kind: 'Sequence', id: sequence.id });
  } catch (error) {
    throw error instanceof ProgramError ? refused(error.problem.message) : error;
  }
  return sequenceFields(tree.root);
}

async function ensurePublication(
  scope: DeviceScope,
  gardens: Gardens,
  sequenceId: number,
  before: SequencePublication | undefined,
): Promise<SequencePublication> {
  if (before) {
    const [row] = await scope.update(sequencePublications, { published: true }, { where: { id: before.id } });
    return row ?? before;
  }
  const [author] = await gardens.recipients(scope.server, scope.deviceId);
  if (author === undefined) throw refused(say.noAuthor);
  return scope.insert(sequencePublications, {
    author_sequence_id: sequenceId,
    cached_author_email: author.to,
    published: true,
  });
}

/** Deletes an author's address from publications. Must run in a transaction. */
export async function anonymizeAuthor(server: ServerScope, cached_author_email: string): Promise<void> {
  await server.update(sequencePublications, { cached_author_email: '' }, { where: { cached_author_email } });
}

/**
 * Publishes the current state of a sequence as a further version, unless the newest one has the same content, and returns the
 * publication's JSON. Must run in a transaction. Throws 404, 422. [rule P29, ADR 91]
 */
export async function publishSequence(
  scope: DeviceScope,
  { gardens, quotas }: PublishingServices,
  request: PublishRequest,
): Promise<string> {
  const { sequenceId, body, force } = request;
  const sequence = await find(scope, sequences, sequenceId);
  const parsed = parseBody(licenseFields, body, 'create');
  assertValid(parsed);
  const copyright = String(parsed.values.copyright);
  if (await gardens.isDemo(scope)) throw invalid({ guest_account: say.demoAuthor });
  if (!force) assertPublishable(sequence);
  const program = await readProgramToPublish(scope, sequence);
  const { name, color, description } = sequence;
  const content = { name, color, description, copyright, ...program };
  const before = await publicationOf(scope, sequenceId);
  if (before?.published && (await isNewestVersion(scope, before.id, content))) return publicationJson(before);
  await quotas.assertRoom(scope, 'published_bytes');
  const publication = await ensurePublication(scope, gardens, sequenceId, before);
  await insertVersion(scope, publication.id, content);
  await scope.update(sequences, { copyright }, { where: { id: sequenceId } });
  await announceToAll(scope, sequenceId);
  return publicationJson(publication);
}

/** Withdraws all versions of a sequence, also of a deleted one, permanently and returns the publication's JSON; sequences that link to them keep them, others are deleted. Must run in a transaction. Throws 404. [rule P29] */
export async function unpublishSequence(scope: DeviceScope, sequenceId: number): Promise<string> {
  const before = await publicationOf(scope, sequenceId);
  const isDeleted = (await scope.count(sequences, { where: { id: sequenceId } })) === 0;
  if (!before) throw notFound(isDeleted ? sequences.singular : 'Publication');
  // First: it waits for gardens that are installing a version.
  const [row] = await scope.update(sequencePublications, { published: false }, { where: { id: before.id } });
  await deleteUninstalledVersions(scope, before.id);
  const withdrawn = { withdrawn_at: currentTimestamp(scope.clock) };
  await scope.server.update(sequenceVersions, withdrawn, {
    where: { publication_id: before.id, withdrawn_at: null },
  });
  if (!isDeleted) {
    await scope.update(sequences, {}, { where: { id: sequenceId } });
    await announceToAll(scope, sequenceId);
  }
  return publicationJson(row ?? before);
}

/** The sequences of all devices, with the columns that operators need. */
const allSequences = acrossDevices(only(sequences, 'device_id', 'copyright'));

/** Returns the device and the last license of a sequence, for operators, who name it without its account. */
export async function findSequenceOwner(
  server: ServerScope,
  id: number,
): Promise<{ readonly deviceId: number; readonly copyright: string | null } | null> {
  const row = await server.first(allSequences, { where: { id } });
  return row ? { deviceId: row.device_id, copyright: row.copyright } : null;
}
