import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { logs } from './logs.ts';

/** Posted logs that are found at a time. */
const maxFound = 1000;

/** Grouped, because PostgreSQL looks for a first or last id among the logs of all gardens: 0.4 s with a million of them. */
const lastOfGarden: Selection<number> = {
  key: 'last id',
  expressions: ['max("id")'],
  groupBy: '"device_id"',
  read: ([id]) => Number(id),
};

/** Reads logs of a device that did not come from the broker, for event streams: sent over HTTP, or written by the server. [ADR 88] */
export const postedLogReader = {
  /** Returns the id of the last one, from memory unless a commit may have changed it; 0: there is none. */
  async lastId(scope: DeviceScope): Promise<number> {
    const read = () => scope.select(logs, lastOfGarden, { where: { posted: true } });
    const [last = 0] = await scope.recall({ key: 'last posted log', read, textsOf: () => [] });
    return last;
  },
  /** Returns the ids after one, in the order of their commits. */
  idsAfter: (scope: DeviceScope, id: number): Promise<readonly number[]> =>
    scope.select(logs, idOf, { where: { posted: true, id: { gt: id } }, limit: maxFound }),
  /** Returns the JSON of a log; undefined if it was deleted. */
  async read(scope: DeviceScope, id: number): Promise<string | undefined> {
    const [json] = await scope.select(logs, jsonSelection(logs), { where: { id } });
    return json;
  },
};
