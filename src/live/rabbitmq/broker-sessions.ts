import { column } from '../../db/columns.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import { table } from '../../db/table.ts';

/** The token that each MQTT client of RabbitMQ signed in with last, which RabbitMQ does not know. */
export const brokerSessions = table(
  'broker_sessions',
  {
    device_id: column.bigint().references('devices'),
    client_id: column.text(),
    jti: column.text(),
  },
  { reach: 'both', unique: [['device_id', 'client_id']], indexes: [['client_id']] },
);

/** Maximum length of a client id, in characters. RabbitMQ names queues after it, in at most 255 bytes. */
const maxClientIdLength = 200;
/** Sign-ins per device that are stored, the newest ones: each page of a browser has its own client id. */
const maxSessions = 200;

/** Whether a client id contains the name of another device. RabbitMQ gives the session of a client id to any client that signs in with it, so a robot's (`device_5_17.1.2`) must be its own. */
export function isForeignClientId(deviceId: number, clientId: string): boolean {
  const digits = /^device_(\d+)/.exec(clientId)?.[1];
  return digits !== undefined && digits !== String(deviceId);
}

/** Stores a sign-in at RabbitMQ. False: it must be rejected, because the client id is too long or another device's. */
export async function rememberSession(
  server: ServerScope,
  { deviceId, clientId, jti }: { readonly deviceId: number; readonly clientId: string; readonly jti: string },
): Promise<boolean> {
  if (clientId.length > maxClientIdLength || isForeignClientId(deviceId, clientId)) return false;
  const foreign = await server.first(brokerSessions, { where: { client_id: clientId, device_id: { not: deviceId } } });
  if (foreign) return false;
  await server.device(deviceId).transaction(async (scope) => {
    // Inserted again, so that the least recently used ones are deleted first.
    await scope.delete(brokerSessions, { where: { client_id: clientId } });
    await scope.insert(brokerSessions, { client_id: clientId, jti });
    await scope.trim(brokerSessions, maxSessions);
  });
  return true;
}

/** Returns the tokens (`jti`) of a device's clients, by client id. */
export async function sessionsOf(scope: DeviceScope): Promise<ReadonlyMap<string, string>> {
  const rows = await scope.rows(brokerSessions);
  return new Map(rows.map(({ client_id, jti }) => [client_id, jti]));
}

/** Deletes the sign-ins with these tokens. */
export async function deleteSessions(scope: DeviceScope, jtis: readonly string[]): Promise<void> {
  if (jtis.length > 0) await scope.delete(brokerSessions, { where: { jti: jtis } });
}
