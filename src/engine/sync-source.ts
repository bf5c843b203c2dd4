import type { DeviceScope, JsonListing } from '../db/scope.ts';
import type { AnyResource } from './resource.ts';
import { syncPair } from './serializer.ts';

/** A key of `device/sync`, which lists records with the times of their last updates. */
export interface SyncSource {
  readonly key: string;
  /** The rows to list, read in one statement with the other keys' rows. */
  readonly listing?: JsonListing<'device' | 'both'>;
  /** Returns the value of the key, from the JSON array of the `[id, updated_at]` pairs that were read. */
  pairs(scope: DeviceScope, read: string): string | Promise<string>;
}

/** An empty list. */
export const noPairs = '[]';

const isSource = (resource: AnyResource): resource is AnyResource & SyncSource => 'pairs' in resource;

/** Returns the source of a resource that declares `sync`. Singletons are sources themselves. */
export function syncSource(resource: AnyResource): SyncSource {
  if (isSource(resource)) return resource;
  const { sync, syncWhere } = resource.options;
  if (!sync) throw new Error(`${resource.name} is not part of device/sync`);
  if (sync === 'empty') return { key: resource.name, pairs: () => noPairs };
  const listing = { table: resource, json: syncPair, ...(syncWhere && { where: syncWhere }) };
  return { key: resource.name, listing, pairs: (_scope, read) => read };
}

/** Returns a source of records that are the same for all devices. */
export function constantSource(
  key: string,
  records: readonly { readonly id: number; readonly updated_at: string }[],
): SyncSource {
  const pairs = JSON.stringify(records.map(({ id, updated_at }) => [id, updated_at]));
  return { key, pairs: () => pairs };
}

/** Returns a function that reads the values of all sources, in their order. One statement. */
export function syncReader(sources: readonly SyncSource[]): (scope: DeviceScope) => Promise<string[]> {
  const listings = sources.flatMap(({ listing }) => listing ?? []);
  return async (scope) => {
    const lists = await scope.recall({
      key: 'device/sync',
      read: () => scope.jsonLists(listings),
      textsOf: (texts) => texts,
    });
    const read = lists.values();
    const shown: string[] = [];
    for (const source of sources) {
      const pairs = source.pairs(scope, (source.listing && read.next().value) ?? noPairs);
      shown.push(typeof pairs === 'string' ? pairs : await pairs);
    }
    return shown;
  };
}
