import type { DeviceScope, Insertable, Selection } from '../db/scope.ts';
import type { StandardColumns } from '../db/table.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource } from '../engine/resource.ts';
import { accountDocument } from './account-document.ts';
import { rulesOf } from './rules/rule-list.ts';

/** The resources of which a document contains lists. */
const listedResources = accountDocument.flatMap((part) => (part.kind === 'list' ? [part.resource] : []));

const isHistory = (resource: AnyResource): boolean => rulesOf(resource).isHistory === true;
const hasFiles = (resource: AnyResource): boolean => rulesOf(resource).files !== undefined;

const gardenResources = listedResources.filter((resource) => !isHistory(resource));
const fileResources = listedResources.filter(hasFiles);
const plainHistories = listedResources.filter((resource) => isHistory(resource) && !hasFiles(resource));

/** Returns the names of fields whose values are unique within a device. */
export const uniqueFields = (resource: AnyResource): string[] =>
  Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.isUnique);

/** What a device contains before an import. */
export interface ExistingRecords {
  /** Ids by table, unique field and value. */
  readonly unique: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<unknown, number>>>;
  /** The number of records by table. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The state of an account whose records are not kept. */
export const noRecords: ExistingRecords = { unique: new Map(), counts: new Map() };

const idsBy = (field: string): Selection<[unknown, number]> => ({
  key: `id by ${field}`,
  expressions: [`"${field}"`, '"id"'],
  read: ([value, id]) => [value, Number(id)],
});

export async function readExisting(scope: DeviceScope): Promise<ExistingRecords> {
  const unique = new Map<string, Map<string, Map<unknown, number>>>();
  const counts = new Map<string, number>();
  for (const resource of listedResources) {
    counts.set(resource.name, await scope.count(resource));
    const values = new Map<string, Map<unknown, number>>();
    for (const field of uniqueFields(resource)) values.set(field, new Map(await scope.select(resource, idsBy(field))));
    unique.set(resource.name, values);
  }
  return { unique, counts };
}

/** Returns the words for a resource's records, as in `2 webcam feeds`. */
export const pluralOf = ({ name }: AnyResource): string => name.replaceAll('_', ' ');

/** Returns what users have created on a device, as in `2 tools`. Empty if there are only records of its robot and of the sign-up. */
export async function describeRecords(scope: DeviceScope): Promise<string[]> {
  const found: string[] = [];
  for (const resource of listedResources) {
    if (rulesOf(resource).isWrittenByRobots) continue;
    const count = await scope.count(resource);
    if (count > 0) found.push(`${count} ${count === 1 ? resource.singular.toLowerCase() : pluralOf(resource)}`);
  }
  return found;
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

/** Returns a text that changes with any record that has a file. */
export const fileFingerprint = (scope: DeviceScope): Promise<string> => fingerprint(scope, fileResources);

/** The highest ids of the histories of an account, by table. */
export type HistoryEnds = ReadonlyMap<string, number>;

export async function historyEnds(scope: DeviceScope): Promise<HistoryEnds> {
  const ends = new Map<string, number>();
  for (const resource of plainHistories) ends.set(resource.name, await maxId(scope, resource));
  return ends;
}

type HistoryRow = StandardColumns & { readonly device_id: number };

/** Returns the history records after these ends. */
export async function newerHistories(
  scope: DeviceScope,
  ends: HistoryEnds,
): Promise<ReadonlyMap<AnyResource, readonly HistoryRow[]>> {
  const newer = new Map<AnyResource, readonly HistoryRow[]>();
  for (const resource of plainHistories) {
    const rows = await scope.rows(resource, { where: { id: { gt: ends.get(resource.name) ?? 0 } } });
    if (rows.length > 0) newer.set(resource, rows);
  }
  return newer;
}

/** Stores history records again, with their ids, after they were deleted in the same transaction. */
export async function restoreHistories(
  scope: DeviceScope,
  newer: ReadonlyMap<AnyResource, readonly HistoryRow[]>,
): Promise<void> {
  for (const [resource, rows] of newer) {
    await scope.insertAll(resource, rows as readonly Insertable<HistoryRow>[]);
    for (const { id } of rows) announceChanged(scope, resource, id);
  }
}
