import { randomUUID } from 'node:crypto';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { Failure } from '../core/errors.ts';
import type { Language } from '../core/languages.ts';
import type { DeviceScope, Identity, ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { unknownClient } from './credential-uses.ts';
import { areGuests, isGuest, newGuestAddress } from './guests.ts';
import { accountJob } from './job-kinds.ts';
import { say } from './messages.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { openSession } from './sessions.ts';
import type { TokenAddresses } from './token-signer.ts';
import { users } from './users.ts';

/** Maximum number of demo accounts, to limit the storage of anonymous visitors. Independent of rate limits. */
export const maxDemoAccounts = 200;
/** Time without requests after which a demo account is deleted, in ms. [rule A31] */
const idleTime = 3_600_000;
/** Interval of the cleanup while there are demo accounts, in ms. */
const cleanupInterval = 10 * 60_000;

const cleanupKind = 'delete_demo_accounts';

/** The garden of a demo account. */
export interface DemoGarden {
  /** It may be unknown. */
  readonly productLine: string;
  readonly language: Language;
  /** Whether it has a past: the vendor's web app gets the garden that it knows. [ADR 133] */
  readonly hasPast: boolean;
}

/** Seeds the garden of a demo account, inside the transaction that creates the device. */
export type DemoSeed = (scope: DeviceScope, garden: DemoGarden) => Promise<void>;

export interface DemoAccountRequest extends DemoGarden {
  /** The account's password, of which only the hash is stored. */
  readonly secret: string;
  readonly addresses: TokenAddresses;
  /** The visitor's network. */
  readonly network: string;
}

/** Creates demo accounts. [rule A29] */
export class DemoAccounts {
  readonly #services: AccountServices;
  readonly #seed: DemoSeed;
  #lastCreation: Promise<unknown> = Promise.resolve();

  constructor(services: AccountServices, seed: DemoSeed) {
    this.#services = services;
    this.#seed = seed;
  }

  /** Creates an account with a device and a session, all or nothing. Throws 429 at the limit. Hashes a password, so it must not be called inside a transaction. */
  async create(server: ServerScope, request: DemoAccountRequest, identity: Identity = {}): Promise<OpenedSession> {
    // Checked before hashing, too, because hashing is expensive.
    await assertBelowLimit(server);
    const password_hash = await this.#services.passwords.hash(request.secret, request.network);
    // Serialized, because concurrent transactions on PostgreSQL would count the same accounts. Each additional process may exceed the limit by one.
    const created = this.#lastCreation.then(() =>
      server.transaction((inner) => this.#create(inner, request, identity, password_hash)),
    );
    this.#lastCreation = created.catch(() => undefined);
    return created;
  }

  async #create(
    server: ServerScope,
    { productLine, language, hasPast, addresses }: DemoAccountRequest,
    identity: Identity,
    password_hash: string,
  ): Promise<OpenedSession> {
    await assertBelowLimit(server);
    const { gardens, jobs } = this.#services;
    const scope = server.device(await gardens.create(server), identity);
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
      admin: false,
    });
    await this.#seed(scope, { productLine, language, hasPast });
    await scheduleCleanup(server, jobs, idleTime);
    server.log.info({ device: scope.deviceId, product_line: productLine }, 'created a demo account');
    return openSession(this.#services, scope, {
      user,
      aud: 'GUEST',
      addresses,
      signedInAt: null,
      client: unknownClient,
    });
  }
}

async function assertBelowLimit(server: ServerScope): Promise<void> {
  if ((await server.count(users, { and: areGuests })) >= maxDemoAccounts) throw new Failure('throttled', say.demoFull);
}

/** Enqueues the cleanup unless it is enqueued already. */
const scheduleCleanup = (server: ServerScope, jobs: JobQueue, delay: number): Promise<void> =>
  jobs.enqueueOnce(server, cleanupKind, {}, { runAt: timestamp(server.clock.now() + delay) });

/**
 * The job that deletes unused demo accounts. It is enqueued with the first account and re-enqueues itself while there are
 * any, so that it survives restarts and runs once for several processes. Idempotent.
 */
export const demoCleanupJob = (services: AccountServices): JobDefinition => ({
  kind: cleanupKind,
  handle: (server) =>
    server.transaction(async (scope) => {
      const { jobs, activity } = services;
      const oldest = timestamp(confirmedNow(scope.clock) - idleTime);
      const guests = (await scope.rows(users, { and: areGuests })).filter(isGuest);
      // The activity of recent requests may not be written yet.
      const idle = guests.filter((guest) => activity.overlay(guest).updated_at < oldest);
      for (const { id, device_id } of idle)
        await jobs.enqueueOnce(scope, accountJob.destroy, { user_id: id }, { deviceId: device_id });
      if (guests.length > idle.length) await scheduleCleanup(scope, jobs, cleanupInterval);
    }),
});
