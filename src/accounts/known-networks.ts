import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { isLoopback, networkOf } from '../core/ip-addresses.ts';
import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import type { Call } from '../engine/route.ts';

/** Networks from which a user has signed in; `updated_at` is the day of the last time. Wrong passwords from elsewhere do not affect them. [ADR 31] */
export const knownNetworks = table(
  'known_networks',
  { user_id: column.bigint().references('users'), network: column.text() },
  { reach: 'server', unique: [['user_id', 'network']] },
);

const day = 86_400_000;
/** How long a network is known after the last sign-in from it, in ms. */
const keptTime = 90 * day;
/** Networks that are known for each user; more only if robots and people often change theirs. */
const maxNetworks = 100;

export const isKnownNetwork = async (server: ServerScope, userId: number, network: string): Promise<boolean> =>
  (await server.first(knownNetworks, { where: { user_id: userId, network } })) !== undefined;

/** Remembers the network of a sign-in, inside a transaction of the user's device. */
export async function rememberNetwork(
  server: ServerScope,
  userId: number,
  { address, hidesClient }: Pick<Call, 'address' | 'hidesClient'>,
): Promise<void> {
  // Strangers behind the same proxy have the same address.
  if (isLoopback(address) || hidesClient) return;
  const where = { user_id: userId, network: networkOf(address) };
  const found = await server.first(knownNetworks, { where });
  if (!found) {
    await server.insert(knownNetworks, where);
    await deleteExcess(server, userId);
  } else if (found.updated_at < timestamp(server.clock.now() - day))
    await server.update(knownNetworks, { network: where.network }, { where: { id: found.id } });
}

/** Deletes the networks of a user that were used least recently, beyond {@link maxNetworks}. */
async function deleteExcess(server: ServerScope, userId: number): Promise<void> {
  const excess = await server.rows(knownNetworks, {
    where: { user_id: userId },
    order: [
      ['updated_at', 'desc'],
      ['id', 'desc'],
    ],
    offset: maxNetworks,
    limit: maxNetworks,
  });
  const ids = excess.map(({ id }) => id);
  if (ids.length > 0) await server.delete(knownNetworks, { where: { id: ids } });
}

/** Deletes networks that were not used for a long time. */
export async function deleteOldNetworks(server: ServerScope): Promise<void> {
  await server.delete(knownNetworks, {
    where: { updated_at: { lte: timestamp(confirmedNow(server.clock) - keptTime) } },
  });
}
