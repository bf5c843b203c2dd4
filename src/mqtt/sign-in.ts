import { randomUUID } from 'node:crypto';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Client, ConnectPacket } from 'aedes';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { networkOf } from '../core/ip-addresses.ts';
import { logText } from '../core/log-text.ts';
import type { ClientEventLog } from './client-event-log.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { type GuardedConnection, guardedConnection } from './guarded-connection.ts';
import type { Authenticator, Identity } from './identity.ts';
import type { MqttLimits } from './limits.ts';
import type { PendingConnections } from './pending-connections.ts';

/** CONNACK return codes of rejected clients. [MQTT 3.1.1, 3.2.2.3] */
const connackCodes = { clientId: 2, badCredentials: 4, notAuthorized: 5 } as const;

/** The response to a rejected CONNECT. `none`: the connection is closed without one, because clients that get one do not reconnect. [rule M13] */
export type ConnectResult = (typeof connackCodes)[keyof typeof connackCodes] | 'none';

export interface SignInOptions {
  readonly authenticator: Authenticator;
  readonly registry: ConnectionRegistry;
  readonly limits: MqttLimits;
  readonly events: ClientEventLog;
  readonly pending: Pick<PendingConnections, 'add' | 'remove'>;
}

/** Authenticates CONNECT packets, and sets the id under which a client's session is stored. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #turns: FairSemaphore;
  /** Number of revocations so far. */
  #revocations = 0;

  constructor(options: SignInOptions) {
    this.#options = options;
    const { maxSigningIn, maxWaiting, maxWaitingPerAddress } = options.limits;
    this.#turns = new FairSemaphore(maxSigningIn, maxWaiting, maxWaitingPerAddress);
  }

  /** Has clients that are signing in at the moment checked again. */
  onRevocation(): void {
    this.#revocations++;
  }

  /** Returns null when the client is accepted. Rejects when it cannot be checked, or too many wait. */
  async authenticate(client: Client, username: string | undefined): Promise<ConnectResult | null> {
    const { pending } = this.#options;
    const connection = guardedConnection(client);
    const packet = connection?.connectPacket;
    if (!connection || !packet) return 'none';
    // The client has done its part; the time that it waits for its turn is the server's.
    pending.remove(connection);
    return this.#turns.run(networkOf(connection.address), async () => {
      await nextIteration();
      if (connection.destroyed) return 'none';
      pending.add(connection);
      return this.#check(client, connection, packet, username);
    });
  }

  async #check(
    client: Client,
    connection: GuardedConnection,
    packet: ConnectPacket,
    username: string | undefined,
  ): Promise<ConnectResult | null> {
    const { authenticator, registry, limits, events } = this.#options;
    if (!username) {
      events.rejected('anonymous', connection);
      return connackCodes.notAuthorized;
    }
    const { clientId } = packet;
    if (clientId.length > limits.maxClientIdLength || (clientId === '' && !packet.clean)) {
      events.rejected('client_id', connection, { username: logText(username) });
      return connackCodes.clientId;
    }
    let seen = this.#revocations;
    let identity = await authenticator.authenticate({
      username,
      password: packet.password?.toString('utf8') ?? '',
      clientId: clientId || null,
      address: connection.address,
    });
    while (typeof identity !== 'string' && seen !== this.#revocations) {
      seen = this.#revocations;
      if (!(await this.#isStillValid(identity))) identity = 'bad_credentials';
    }
    // Nothing is awaited from here to the entry in the registry, so no revocation is missed.
    if (typeof identity === 'string')
      return identity === 'bad_credentials' ? connackCodes.badCredentials : connackCodes.notAuthorized;
    if (client.closed || connection.destroyed) return 'none';
    const maxConnections =
      identity.maxConnections ?? (identity.isShared ? limits.maxSharedConnections : limits.maxConnectionsPerUser);
    if (registry.count(identity.name) >= maxConnections) {
      events.rejected('too_many_connections', connection, { username: identity.name });
      return 'none';
    }
    this.#setIdentity(client, connection, packet, identity);
    return null;
  }

  async #isStillValid({ name, credential }: Identity): Promise<boolean> {
    if (credential === null) return true;
    const valid = await this.#options.authenticator.findValidCredentials(name, [credential.id]);
    return valid.has(credential.id);
  }

  /** Client ids are per user, so no client takes over another user's session. */
  #setIdentity(client: Client, connection: GuardedConnection, packet: ConnectPacket, identity: Identity): void {
    const { name, isShared } = identity;
    if (isShared) client.clean = true;
    client.id = `${name}/${isShared || packet.clientId === '' ? randomUUID() : packet.clientId}`;
    connection.identity = identity;
    this.#options.registry.signIn(name, connection);
  }
}
