import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, Selection, ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import { logs } from './logs.ts';

/** How long posted logs are noted, in ms. Event streams look for new ones every half second. */
const keptTime = 60_000;
/** Posted logs that are noted of a device, and that are looked at of all devices: the newest. */
const maxRecent = 1000;

/**
 * Logs that did not come from the broker: sent over HTTP, or written by the server. Every process finds them here for its event
 * streams. Every posted log pays for an index and a reference, so there is one of each.
 */
export const postedLogs = table(
  'posted_logs',
  { device_id: column.bigint().references('devices'), log_id: column.bigint() },
  { reach: 'both', indexes: [['device_id']] },
);

/** Notes a posted log, inside the transaction that stores it. */
export async function recordPostedLog(scope: DeviceScope, logId: number): Promise<void> {
  await scope.insert(postedLogs, { log_id: logId });
  scheduleTrim(scope, postedLogs, (later) =>
    Promise.resolve({ maxRows: maxRecent, olderThan: timestamp(confirmedNow(later.clock) - keptTime) }),
  );
}

/** A posted log. */
export interface PostedLog {
  /** Ascending in the order of a device's commits. */
  readonly id: number;
  readonly deviceId: number;
  readonly logId: number;
}

const posted: Selection<PostedLog> = {
  key: 'posted log',
  expressions: ['"id"', '"device_id"', '"log_id"'],
  read: ([id, deviceId, logId]) => ({ id: Number(id), deviceId: Number(deviceId), logId: Number(logId) }),
};

/** How event streams read posted logs. */
export const postedLogReader = {
  /** Returns the id of the device's last posted log; 0: it has none. */
  async lastId(scope: DeviceScope): Promise<number> {
    return (await scope.first(postedLogs, { order: [['id', 'desc']] }))?.id ?? 0;
  },
  /** Returns the last ones of all devices, in their order. */
  async recent(server: ServerScope): Promise<readonly PostedLog[]> {
    const found = await server.select(postedLogs, posted, { order: [['id', 'desc']], limit: maxRecent });
    return found.reverse();
  },
  /** Returns a value that changes with every posted log; null on PostgreSQL. */
  version: (server: ServerScope): string | null => server.version([postedLogs]),
  /** Returns the JSON of a log; undefined if it was deleted. */
  async read(scope: DeviceScope, { logId }: PostedLog): Promise<string | undefined> {
    const [json] = await scope.select(logs, jsonSelection(logs), { where: { id: logId } });
    return json;
  },
};
