import type { DeviceScope } from '../db/scope.ts';
import type { AnyResource, Resource } from './resource.ts';
import { syncPair } from './serializer.ts';

/** One key of `device/sync`: which records there are, and when each was changed last. */
export interface SyncSource {
  readonly key: string;
  /** The JSON array of pairs `[id, time]`. */
  pairs(scope: DeviceScope): Promise<string>;
}

const none = Promise.resolve('[]');

const isSource = (resource: AnyResource): resource is AnyResource & SyncSource => 'pairs' in resource;

/** The pairs of a resource's rows: one prepared query, or none where the declaration lists nothing. Singletons are sources themselves. */
export function syncSource(resource: AnyResource): SyncSource {
  if (isSource(resource)) return resource;
  const { sync, syncWhere } = resource.options;
  if (!sync) throw new Error(`${resource.name} is no part of device/sync`);
  if (sync === 'empty') return { key: resource.name, pairs: () => none };
  const query = syncWhere ? { where: syncWhere } : {};
  const pairs: SyncSource['pairs'] = (scope) => scope.jsonList(resource as Resource, syncPair, query);
  return { key: resource.name, pairs };
}

/** Records that are the same for everybody. */
export function constantSource(
  key: string,
  records: readonly { readonly id: number; readonly updated_at: string }[],
): SyncSource {
  const pairs = Promise.resolve(JSON.stringify(records.map(({ id, updated_at }) => [id, updated_at])));
  return { key, pairs: () => pairs };
}
