import { timestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, Selection, ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { logs } from './logs.ts';

/** How long processes look for a posted log, in ms. Also what their clocks may differ. */
const relayTime = 60_000;
/** Posted logs of all devices that are looked at, the newest. */
const maxRecent = 1000;

/** Logs that did not come from the broker: sent over HTTP, or written by the server. Every process finds them here for its event streams. */
export const postedLogs = table(
  'posted_logs',
  { device_id: column.bigint().references('devices'), log_id: column.bigint().references('logs') },
  { reach: 'both', indexes: [['device_id'], ['log_id'], ['created_at']] },
);

/** Notes a posted log, inside the transaction that stores it, and forgets those that all processes have seen: once a minute, because the deletion looks at all of the device. */
export async function recordPostedLog(scope: DeviceScope, logId: number): Promise<void> {
  const seenBefore = scope.clock.now() - relayTime;
  const oldest = await scope.first(postedLogs);
  await scope.insert(postedLogs, { log_id: logId });
  if (oldest && Date.parse(oldest.created_at) < seenBefore - relayTime)
    await scope.delete(postedLogs, { where: { created_at: { lt: timestamp(seenBefore) } } });
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
  /** Returns those of the last minute, of all devices, in their order. */
  async recent(server: ServerScope): Promise<readonly PostedLog[]> {
    const found = await server.select(postedLogs, posted, {
      where: { created_at: { gte: timestamp(server.clock.now() - relayTime) } },
      order: [['id', 'desc']],
      limit: maxRecent,
    });
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
