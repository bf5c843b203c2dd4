import type { AnnouncedRecords, AnnouncedTable, RecordReader } from '../db/announced-records.ts';
import type { Selection } from '../db/scope.ts';
import type { AnyResource, Resource } from './resource.ts';
import { jsonExpressions } from './serializer.ts';

/** Records whose changes are logged without being a resource. */
export interface OtherRecords {
  readonly table: string;
  readonly read: RecordReader;
  readonly isHistory: boolean;
}

/** Selects the ids and the JSON of a resource's records. */
function stateSelection(resource: AnyResource): Selection<readonly [number, string]> {
  const { sqlite, postgres } = jsonExpressions(resource);
  return {
    key: 'id and json',
    expressions: { sqlite: ['"id"', sqlite], postgres: ['"id"', postgres] },
    read: ([id, json]) => [Number(id), String(json)],
  };
}

/** Returns the change log's knowledge of resources and of `others`, by their names in the log. */
export function announcedRecords(
  resources: readonly AnyResource[],
  others: Readonly<Record<string, OtherRecords>>,
): AnnouncedRecords {
  const readers = new Map<string, RecordReader>();
  const tables = new Map<string, AnnouncedTable>();
  const history = new Set<string>();
  for (const [resource, { table, read, isHistory }] of Object.entries(others)) {
    readers.set(resource, read);
    tables.set(table, { resource, states: null });
    if (isHistory) history.add(resource);
  }
  for (const resource of resources) {
    const { changeLogName, isHistory = true } = resource.options;
    if (changeLogName === null) continue;
    const selection = stateSelection(resource);
    readers.set(
      changeLogName,
      async (scope, ids) => new Map(await scope.select(resource as Resource, selection, { where: { id: ids } })),
    );
    tables.set(resource.name, { resource: changeLogName, states: isHistory ? selection : null });
    if (isHistory) history.add(changeLogName);
  }
  return {
    async read(scope, name, ids) {
      const reader = readers.get(name);
      if (!reader) throw new Error(`no reader for changes of ${name}`);
      return reader(scope, ids);
    },
    ofTable: (name) => tables.get(name),
    isHistory: (name) => history.has(name),
    deliveredOnly: [...readers.keys()].filter((name) => !history.has(name)),
  };
}
