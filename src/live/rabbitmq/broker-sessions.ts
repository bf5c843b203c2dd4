import { column } from '../../db/columns.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import type { RowOf } from '../../db/table.ts';
import { table } from '../../db/table.ts';

/** With which token a client of RabbitMQ signed in last, which RabbitMQ itself does not know. */
export const brokerSessions = table(
  'broker_sessions',
  {
    device_id: column.bigint().references('devices'),
    client_id: column.text(),
    jti: column.text(),
  },
  { reach: 'both', unique: [['device_id', 'client_id']], indexes: [['client_id']] },
);

export type BrokerSessionRow = RowOf<typeof brokerSessions>;

/** Characters of a client id. RabbitMQ names queues after it, at most 255 bytes long. */
const longestClientId = 200;
/** Logins of a device that are remembered, the newest: each page of a browser has a client id of its own. */
const mostSessions = 200;

/** Whether a client id is in the name of another device. RabbitMQ hands the session and the subscriptions of a client id to whoever signs in with it, so a robot's (`device_5_17.1.2`) must be its own. */
export function isForeignClientId(deviceId: number, clientId: string): boolean {
  const named = /^device_(\d+)/.exec(clientId)?.[1];
  return named !== undefined && named !== String(deviceId);
}

/** Remembers a login at RabbitMQ. False: it must be refused, because the client id is too long or another device's. */
export async function rememberSession(
  server: ServerScope,
  { deviceId, clientId, jti }: { readonly deviceId: number; readonly clientId: string; readonly jti: string },
): Promise<boolean> {
  if (clientId.length > longestClientId || isForeignClientId(deviceId, clientId)) return false;
  const foreign = await server.first(brokerSessions, { where: { client_id: clientId, device_id: { not: deviceId } } });
  if (foreign) return false;
  await server.device(deviceId).transaction(async (scope) => {
    // Inserted anew, so that those are forgotten first that came least lately.
    await scope.delete(brokerSessions, { where: { client_id: clientId } });
    await scope.insert(brokerSessions, { client_id: clientId, jti });
    await scope.trim(brokerSessions, mostSessions);
  });
  return true;
}

/** The tokens (`jti`) of a device's clients, by client id. */
export async function sessionsOf(scope: DeviceScope): Promise<ReadonlyMap<string, string>> {
  const rows = await scope.rows(brokerSessions);
  return new Map(rows.map(({ client_id, jti }) => [client_id, jti]));
}

/** Forgets the logins with these tokens. */
export async function forgetSessions(scope: DeviceScope, jtis: readonly string[]): Promise<void> {
  if (jtis.length > 0) await scope.delete(brokerSessions, { where: { jti: jtis } });
}
