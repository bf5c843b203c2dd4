import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { StandardColumns } from '../db/table.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource } from '../engine/resource.ts';
import { images } from '../photos/images.ts';
import { listedResources } from './import-existing.ts';
import { histories } from './import-fields.ts';

/** Tables of what happened that need nothing but their rows. A photo has files, too. */
const plainHistories = listedResources.filter(({ name }) => histories.has(name) && name !== images.name);

/** Where the histories of an account ended at some moment. */
export interface HistoryEnds {
  /** The highest ids by table. */
  readonly ids: ReadonlyMap<string, number>;
  /** A text that differs when any photo came, went or was changed. */
  readonly photos: string;
}

/** Notes where the histories of an account end now. */
export async function historyEnds(scope: DeviceScope): Promise<HistoryEnds> {
  const ids = new Map<string, number>();
  for (const resource of plainHistories) ids.set(resource.name, await highestId(scope, resource));
  return { ids, photos: await photosState(scope) };
}

async function highestId(scope: DeviceScope, resource: AnyResource): Promise<number> {
  return (await scope.first(resource, { order: [['id', 'desc']] }))?.id ?? 0;
}

/** A text that differs when any photo of the account came, went or was changed. */
export async function photosState(scope: DeviceScope): Promise<string> {
  const newest = await scope.first(images, { order: [['updated_at', 'desc']] });
  return `${await scope.count(images)} ${await highestId(scope, images)} ${newest?.updated_at ?? ''}`;
}

type Row = StandardColumns & { readonly device_id: number };

/** What robots have told since. */
export type NewerHistories = ReadonlyMap<AnyResource, readonly Row[]>;

/** Reads what was added to the histories after they ended so. */
export async function newerHistories(scope: DeviceScope, { ids }: HistoryEnds): Promise<NewerHistories> {
  const newer = new Map<AnyResource, readonly Row[]>();
  for (const resource of plainHistories) {
    const rows = await scope.rows(resource, { where: { id: { gt: ids.get(resource.name) ?? 0 } } });
    if (rows.length > 0) newer.set(resource, rows);
  }
  return newer;
}

/** Stores again, under its ids, what went with everything else in the same transaction. */
export async function keepHistories(scope: DeviceScope, newer: NewerHistories): Promise<void> {
  for (const [resource, rows] of newer) {
    await scope.insertAll(resource, rows as readonly Insertable<Row>[]);
    for (const { id } of rows) announceChanged(scope, resource, id);
  }
}
