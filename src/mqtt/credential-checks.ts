import { setImmediate as nextIteration } from 'node:timers/promises';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import type { Authenticator, ClientIdentity, CredentialIds } from './identity.ts';

export interface CredentialCheckOptions {
  readonly authenticator: Pick<Authenticator, 'findValidCredentials'>;
  readonly registry: ConnectionRegistry;
  readonly persistence: BoundedPersistence;
}

/** Users that are checked together: the event loop serves others in between. */
const usersPerCheck = 250;

/** Checks whether the credentials of clients are still valid, and ends everything that depends on an invalid one. */
export class CredentialChecks {
  readonly #options: CredentialCheckOptions;
  #revocations = 0;

  constructor(options: CredentialCheckOptions) {
    this.#options = options;
  }

  /** Number of revocations so far. */
  get revocations(): number {
    return this.#revocations;
  }

  /** Whether a client would be accepted again, also if a revocation began in between. Rejects if that cannot be checked. */
  async isValid({ name, credential }: ClientIdentity): Promise<boolean> {
    if (credential === null) return true;
    const asked = new Map([[name, new Set([credential.id])]]);
    for (;;) {
      const seen = this.#revocations;
      const valid = await this.#options.authenticator.findValidCredentials(asked);
      if (!valid.get(name)?.has(credential.id)) return false;
      if (seen === this.#revocations) return true;
    }
  }

  /** The users of connections, offline sessions and retained messages. */
  users(): readonly string[] {
    const { registry, persistence } = this.#options;
    return [...new Set([...registry.users, ...persistence.users])];
  }

  /** Returns the credentials of users' connections, offline sessions and retained messages that are no longer valid. */
  async findEnded(userNames: readonly string[]): Promise<CredentialIds> {
    this.#revocations++;
    const ended = new Map<string, ReadonlySet<string>>();
    for (let start = 0; start < userNames.length; start += usersPerCheck) {
      if (start > 0) await nextIteration();
      const used = new Map<string, ReadonlySet<string>>();
      for (const name of userNames.slice(start, start + usersPerCheck)) {
        const ids = this.#usedBy(name);
        if (ids.size > 0) used.set(name, ids);
      }
      if (used.size === 0) continue;
      const valid = await this.#options.authenticator.findValidCredentials(used);
      for (const [name, ids] of used) {
        const invalid = [...ids].filter((id) => !valid.get(name)?.has(id));
        if (invalid.length > 0) ended.set(name, new Set(invalid));
      }
    }
    return ended;
  }

  /** Ends the connections and sessions of credentials, and the messages retained with them. Returns the connections, which may still be writing their queues. */
  async end(ended: CredentialIds): Promise<readonly GuardedConnection[]> {
    if (ended.size === 0) return [];
    const { registry, persistence } = this.#options;
    // QoS 1 messages are written a tick after they were published.
    await nextIteration();
    const ending = [...ended].flatMap(([name, ids]) =>
      registry.ofUser(name).filter(({ identity }) => identity?.credential && ids.has(identity.credential.id)),
    );
    for (const connection of ending) connection.close('token_revoked');
    for (const [name, ids] of ended) persistence.endCredentials(name, ids);
    return ending;
  }

  /** Whether a user has any connection, offline session or retained message of its own. */
  isUsedBy(userName: string): boolean {
    return this.#usedBy(userName).size > 0;
  }

  #usedBy(userName: string): ReadonlySet<string> {
    const { registry, persistence } = this.#options;
    const used = new Set(persistence.credentialsOf(userName));
    for (const { identity } of registry.ofUser(userName)) if (identity?.credential) used.add(identity.credential.id);
    return used;
  }
}
