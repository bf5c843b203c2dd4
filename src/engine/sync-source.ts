import type { DeviceScope, Listing } from '../db/scope.ts';
import type { AnyResource } from './resource.ts';
import { syncPair } from './serializer.ts';

/** One key of `device/sync`: which records there are, and when each was changed last. */
export interface SyncSource {
  readonly key: string;
  /** The rows whose pairs are read, together with those of all other keys; none where it names none. */
  readonly listing?: Listing<'device' | 'both'>;
  /** What is shown, from the JSON array of the pairs `[id, time]` that were read. */
  pairs(scope: DeviceScope, read: string): string | Promise<string>;
}

/** The JSON array of no pairs. */
export const noPairs = '[]';

const isSource = (resource: AnyResource): resource is AnyResource & SyncSource => 'pairs' in resource;

/** The pairs of a resource's rows, or none where the declaration lists nothing. Singletons are sources themselves. */
export function syncSource(resource: AnyResource): SyncSource {
  if (isSource(resource)) return resource;
  const { sync, syncWhere } = resource.options;
  if (!sync) throw new Error(`${resource.name} is no part of device/sync`);
  if (sync === 'empty') return { key: resource.name, pairs: () => noPairs };
  const listing = { table: resource, json: syncPair, ...(syncWhere && { where: syncWhere }) };
  return { key: resource.name, listing, pairs: (_scope, read) => read };
}

/** Records that are the same for everybody. */
export function constantSource(
  key: string,
  records: readonly { readonly id: number; readonly updated_at: string }[],
): SyncSource {
  const pairs = JSON.stringify(records.map(({ id, updated_at }) => [id, updated_at]));
  return { key, pairs: () => pairs };
}

/** Reads what all sources show, in their order: one statement, whatever their number. */
export function syncReader(sources: readonly SyncSource[]): (scope: DeviceScope) => Promise<string[]> {
  const listings = sources.flatMap(({ listing }) => listing ?? []);
  return async (scope) => {
    const read = (await scope.jsonLists(listings)).values();
    const shown: string[] = [];
    for (const source of sources) {
      const pairs = source.pairs(scope, (source.listing && read.next().value) ?? noPairs);
      shown.push(typeof pairs === 'string' ? pairs : await pairs);
    }
    return shown;
  };
}
