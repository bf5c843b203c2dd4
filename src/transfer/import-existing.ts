import { Failure, invalid } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { recordNoun } from '../core/resource-names.ts';
import type { DeviceScope, Insertable, Selection } from '../db/scope.ts';
import type { StandardColumns } from '../db/table.ts';
import type { Gardens } from '../device/gardens.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource } from '../engine/resource.ts';
import { singularOf } from '../engine/resource.ts';
import { accountDocument } from './account-document.ts';
import type { ImportMode } from './import-report.ts';
import { say } from './messages.ts';
import { rulesOf } from './rules/rule-list.ts';

/** The resources of which a document contains lists. */
const listedResources = accountDocument.flatMap((part) => (part.kind === 'list' ? [part.resource] : []));

const gardenResources = listedResources.filter((resource) => !rulesOf(resource).isHistory);
const fileResources = listedResources.filter((resource) => rulesOf(resource).files);
const plainHistories = listedResources.filter((resource) => rulesOf(resource).isHistory && !rulesOf(resource).files);

/** Returns the names of fields whose values are unique within a device. */
export const uniqueFields = (resource: AnyResource): string[] =>
  Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.isUnique);

/** The records of a device in a table before an import. */
interface ExistingTable {
  readonly count: number;
  /** Ids by unique field and value. */
  readonly unique: ReadonlyMap<string, ReadonlyMap<unknown, number>>;
}

/** The records of a device by table. Empty if it is not kept. */
export type ExistingTables = ReadonlyMap<string, ExistingTable>;

const idsBy = (field: string): Selection<[unknown, number]> => ({
  key: `id by ${field}`,
  expressions: [`"${field}"`, '"id"'],
  read: ([value, id]) => [value, Number(id)],
});

export async function readExisting(scope: DeviceScope): Promise<ExistingTables> {
  const existing = new Map<string, ExistingTable>();
  for (const resource of listedResources) {
    const unique = new Map<string, ReadonlyMap<unknown, number>>();
    for (const field of uniqueFields(resource)) unique.set(field, new Map(await scope.select(resource, idsBy(field))));
    existing.set(resource.name, { count: await scope.count(resource), unique });
  }
  return existing;
}

/** Returns the words for a record of a resource, or for several, as in `2 webcam feeds`. */
export function nounOf(name: string, form: 'one' | 'many' = 'one'): Message {
  const one = singularOf(name);
  return recordNoun(one, form === 'one' ? one.toLowerCase() : name.replaceAll('_', ' '), form);
}

const maxDescribedResources = 5;

/** Returns the reason why an account is not empty; null if there are only records of its robot and of the sign-up. */
export async function notEmptyMessage(scope: DeviceScope): Promise<Message | null> {
  const found: string[] = [];
  for (const resource of listedResources) {
    if (rulesOf(resource).isWrittenByRobots) continue;
    const count = await scope.count(resource);
    if (count > 0) found.push(`${count} ${nounOf(resource.name, count === 1 ? 'one' : 'many')}`);
  }
  if (found.length === 0) return null;
  const more = found.length > maxDescribedResources ? ', …' : '';
  const what = found.slice(0, maxDescribedResources).join(', ') + more;
  return say.notEmpty(what);
}

async function maxId(scope: DeviceScope, resource: AnyResource): Promise<number> {
  return (await scope.first(resource, { order: [['id', 'desc']] }))?.id ?? 0;
}

/** Returns a text that changes whenever a record is created, changed or deleted. */
async function fingerprint(scope: DeviceScope, resources: readonly AnyResource[]): Promise<string> {
  const parts: string[] = [];
  for (const resource of resources) {
    const newest = await scope.first(resource, { order: [['updated_at', 'desc']] });
    parts.push(
      `${resource.name} ${await scope.count(resource)} ${await maxId(scope, resource)} ${newest?.updated_at ?? ''}`,
    );
  }
  return parts.join(';');
}

/** Returns a text that changes with any record except histories, which robots add all the time. */
export const gardenFingerprint = (scope: DeviceScope): Promise<string> => fingerprint(scope, gardenResources);

const concurrentChange = (): Failure => new Failure('unavailable', say.changedSince);

/** Throws 422 if the account must be empty but is not, and 503 if its fingerprint is no longer `garden`. */
export async function assertUnchanged(scope: DeviceScope, mode: ImportMode, garden: string): Promise<void> {
  const obstacle = mode === 'empty' ? await notEmptyMessage(scope) : null;
  if (obstacle) throw invalid({ error: obstacle });
  if (mode !== 'empty' && (await gardenFingerprint(scope)) !== garden) throw concurrentChange();
}

/** The records of a replaced account before its backup. */
export interface ReplacedState {
  /** A text that changes with any record that has a file. */
  readonly files: string;
  /** The highest ids of the histories. */
  readonly historyEnds: ReadonlyMap<AnyResource, number>;
}

export async function readReplacedState(scope: DeviceScope): Promise<ReplacedState> {
  const files = await fingerprint(scope, fileResources);
  const historyEnds = new Map<AnyResource, number>();
  for (const resource of plainHistories) historyEnds.set(resource, await maxId(scope, resource));
  return { files, historyEnds };
}

type HistoryRow = StandardColumns & { readonly device_id: number };

/**
 * Deletes all records of an account. Requires a transaction. Throws 503 if records with files were changed since the backup. Returns
 * the function that puts the histories back that its robot added since then, to be called after the import.
 */
export async function deleteReplaced(
  scope: DeviceScope,
  { files, historyEnds }: ReplacedState,
  gardens: Gardens,
): Promise<() => Promise<void>> {
  if ((await fingerprint(scope, fileResources)) !== files) throw concurrentChange();
  const newer = new Map<AnyResource, HistoryRow[]>();
  for (const [resource, id] of historyEnds)
    newer.set(resource, await scope.rows(resource, { where: { id: { gt: id } } }));
  await gardens.clear(scope);
  return async () => {
    for (const [resource, rows] of newer) {
      const back = rulesOf(resource).isOrderedById ? rows.map(({ id: _, ...row }) => row) : rows;
      await scope.insertAll(resource, back as Insertable<HistoryRow>[]);
      for (const { id } of rows) announceChanged(scope, resource, id);
    }
  };
}
