import { randomUUID } from 'node:crypto';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, Identity, ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { accountJob } from './account-jobs.ts';
import { areGuests, isGuest, newGuestAddress } from './guests.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { openSession } from './sessions.ts';
import type { TokenAddresses } from './token-signer.ts';
import { users } from './users.ts';

/** Demo accounts that there are at most. It bounds what strangers may store, so it holds without rate limits too. */
export const maxDemoAccounts = 200;
/** How long a demo account may go unused, in ms. [reference 7] */
const idleTime = 3_600_000;
/** How often unused ones are looked for while there are any, in ms. */
const cleanUpInterval = 10 * 60_000;

const cleanUpKind = 'delete_demo_accounts';

/** Sees to what a visitor's garden begins with, inside the transaction that makes the device. Product lines are not checked before: an unknown one is no reason to refuse. */
export type DemoSeed = (scope: DeviceScope, productLine: string) => Promise<void>;

export interface DemoWish {
  /** The account's password. Nothing of it is stored but its hash. */
  readonly secret: string;
  readonly productLine: string;
  readonly addresses: TokenAddresses;
}

/** Makes demo accounts. [reference 7] */
export class DemoAccounts {
  readonly #services: AccountServices;
  readonly #seed: DemoSeed;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(services: AccountServices, seed: DemoSeed) {
    this.#services = services;
    this.#seed = seed;
  }

  /** Makes an account with a device and a session, all or nothing. Throws 429 when there are too many. Must not run inside a transaction: it hashes. */
  async make(server: ServerScope, wish: DemoWish, identity: Identity = {}): Promise<OpenedSession> {
    // Before the hash too: it is what costs.
    await assertRoom(server);
    const password_hash = await this.#services.passwords.hash(wish.secret);
    // One after the other, as PostgreSQL would let several count the same places. Each further process may make one too many.
    const made = this.#turn.then(() => server.transaction((inner) => this.#make(inner, wish, identity, password_hash)));
    this.#turn = made.catch(() => undefined);
    return made;
  }

  async #make(
    server: ServerScope,
    { productLine, addresses }: DemoWish,
    identity: Identity,
    password_hash: string,
  ): Promise<OpenedSession> {
    await assertRoom(server);
    const { createDevice, jobs } = this.#services;
    const scope = server.device(await createDevice(server), identity);
    const now = currentTimestamp(server.clock);
    const user = await scope.insert(users, {
      name: 'Guest',
      email: newGuestAddress(),
      password_hash,
      language: 'English',
      confirmed_at: now,
      confirmation_token: randomUUID(),
      agreed_to_terms_at: now,
      sign_in_count: 0,
    });
    await this.#seed(scope, productLine);
    await cleanUpLater(server, jobs, idleTime);
    server.log.info({ device: scope.deviceId, product_line: productLine }, 'a visitor got a demo account');
    return openSession(this.#services, scope, { user, aud: 'GUEST', addresses });
  }
}

async function assertRoom(server: ServerScope): Promise<void> {
  if ((await server.count(users, { and: areGuests })) >= maxDemoAccounts)
    throw new Failure('throttled', 'There are too many demo accounts at the moment. Please try again in an hour.');
}

/** One waiting job is enough, whoever asks for it. */
const cleanUpLater = (server: ServerScope, jobs: JobQueue, delay: number): Promise<void> =>
  jobs.enqueueOnce(server, cleanUpKind, {}, { runAt: timestamp(server.clock.now() + delay) });

/**
 * The job that has demo accounts deleted which nobody uses. It comes with the first account and stays while there are any,
 * as a row: so it outlives a restart, and several processes do it once. Twice would do no harm.
 */
export const demoCleanupJob = (services: AccountServices): JobDefinition => ({
  kind: cleanUpKind,
  handle: (server) =>
    server.transaction(async (scope) => {
      const { jobs, activity } = services;
      const oldest = timestamp(scope.clock.now() - idleTime);
      const guests = (await scope.rows(users, { and: areGuests })).filter(isGuest);
      // Requests of the last minute may not be written yet.
      const idle = guests.filter((guest) => activity.overlay(guest).updated_at < oldest);
      for (const { id, device_id } of idle)
        await jobs.enqueueOnce(scope, accountJob.destroy, { user_id: id }, { deviceId: device_id });
      if (guests.length > idle.length) await cleanUpLater(scope, jobs, cleanUpInterval);
    }),
});
