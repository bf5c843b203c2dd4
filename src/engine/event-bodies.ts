import type { DeviceScope, Selection } from '../db/scope.ts';
import type { BodyReader } from '../db/scopes.ts';
import type { AnyResource, Resource } from './resource.ts';
import { jsonExpressions } from './serializer.ts';

/** Reads the serialisations of some records of one kind; ids that are gone are left out. */
export type RecordReader = (scope: DeviceScope, ids: readonly number[]) => Promise<Map<number, string>>;

/** The reader that follows from a resource's declaration: one query. */
export function recordReader(resource: AnyResource): RecordReader {
  const { sqlite, postgres } = jsonExpressions(resource);
  const selection: Selection<[number, string]> = {
    key: 'id and json',
    expressions: { sqlite: ['"id"', sqlite], postgres: ['"id"', postgres] },
    read: ([id, json]) => [Number(id), String(json)],
  };
  return async (scope, ids) => new Map(await scope.select(resource as Resource, selection, { where: { id: ids } }));
}

/** Reads the bodies of announcements at commit, for every announced resource and for what rooms read themselves. */
export function bodyReader(
  resources: readonly AnyResource[],
  others: Readonly<Record<string, RecordReader>>,
): BodyReader {
  const readers = new Map<string, RecordReader>(Object.entries(others));
  for (const resource of resources)
    if (resource.options.announced) readers.set(resource.options.announced, recordReader(resource));
  return async (scope, name, ids) => {
    const reader = readers.get(name);
    if (!reader) throw new Error(`nobody can read ${name}`);
    return reader(scope, ids);
  };
}
