import type { DeviceScope, Selection } from '../db/scope.ts';
import type { BodyReader } from '../db/scopes.ts';
import type { AnyResource, Resource } from './resource.ts';
import { jsonExpressions } from './serializer.ts';

/** Reads the JSON of records of one kind by id; deleted ones are omitted. */
export type RecordReader = (scope: DeviceScope, ids: readonly number[]) => Promise<Map<number, string>>;

/** Returns the reader of a resource's records. One query. */
export function recordReader(resource: AnyResource): RecordReader {
  const { sqlite, postgres } = jsonExpressions(resource);
  const selection: Selection<[number, string]> = {
    key: 'id and json',
    expressions: { sqlite: ['"id"', sqlite], postgres: ['"id"', postgres] },
    read: ([id, json]) => [Number(id), String(json)],
  };
  return async (scope, ids) => new Map(await scope.select(resource as Resource, selection, { where: { id: ids } }));
}

/** Returns the function that reads the bodies of announcements at commit. `others`: readers of records that are not resources, by announced name. */
export function bodyReader(
  resources: readonly AnyResource[],
  others: Readonly<Record<string, RecordReader>>,
): BodyReader {
  const readers = new Map<string, RecordReader>(Object.entries(others));
  for (const resource of resources)
    if (resource.options.announced) readers.set(resource.options.announced, recordReader(resource));
  return async (scope, name, ids) => {
    const reader = readers.get(name);
    if (!reader) throw new Error(`no reader for announcements of ${name}`);
    return reader(scope, ids);
  };
}
