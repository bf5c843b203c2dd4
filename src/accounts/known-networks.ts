import { timestamp } from '../core/clock.ts';
import { isLoopback, networkOf } from '../core/ip-addresses.ts';
import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** Networks from which a user has signed in; `updated_at` is the day of the last time. Wrong passwords from elsewhere do not affect them. [ADR 31] */
export const knownNetworks = table(
  'known_networks',
  { user_id: column.bigint().references('users'), network: column.text() },
  { reach: 'server', unique: [['user_id', 'network']] },
);

const day = 86_400_000;
/** How long a network is known after the last sign-in from it, in ms. */
const keptTime = 90 * day;

export const isKnownNetwork = async (server: ServerScope, userId: number, network: string): Promise<boolean> =>
  (await server.first(knownNetworks, { where: { user_id: userId, network } })) !== undefined;

/** Remembers the network of a sign-in, inside a transaction of the user's device. */
export async function rememberNetwork(server: ServerScope, userId: number, address: string): Promise<void> {
  if (isLoopback(address)) return;
  const where = { user_id: userId, network: networkOf(address) };
  const found = await server.first(knownNetworks, { where });
  if (!found) await server.insert(knownNetworks, where);
  else if (found.updated_at < timestamp(server.clock.now() - day))
    await server.update(knownNetworks, { network: where.network }, { where: { id: found.id } });
}

/** Deletes networks that were not used for a long time. */
export async function deleteOldNetworks(server: ServerScope): Promise<void> {
  await server.delete(knownNetworks, { where: { updated_at: { lte: timestamp(server.clock.now() - keptTime) } } });
}
