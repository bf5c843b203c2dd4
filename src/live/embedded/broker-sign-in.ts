import { randomUUID } from 'node:crypto';
import type { Client, ConnectPacket } from 'aedes';
import type { BrokerAccess, BrokerUser, LoginVerdict } from '../access.ts';
import { clientText } from '../client-text.ts';
import type { BrokerLimits } from './broker-limits.ts';
import type { ConnectionBook } from './connection-book.ts';
import type { GateRecords } from './gate-refusal.ts';
import { noteRefusal } from './gate-refusal.ts';
import { type GuardedConnection, guardedConnection } from './guarded-connection.ts';

/** Answers to a CONNECT that is refused for good, as MQTT numbers them. */
export const connectAnswers = { clientId: 2, badToken: 4, notAuthorized: 5 } as const;

/**
 * What becomes of a CONNECT that is not accepted. `later`: the connection ends without an answer, since clients that got
 * one do not try again by themselves. [client JS]
 */
export type ConnectAnswer = (typeof connectAnswers)[keyof typeof connectAnswers] | 'later';

export interface SignInOptions extends GateRecords {
  readonly access: Pick<BrokerAccess, 'login' | 'aliveOf'>;
  readonly book: ConnectionBook;
  readonly limits: BrokerLimits;
}

/** Decides about a CONNECT, and gives the client the name under which its session is kept. */
export class BrokerSignIn {
  readonly #options: SignInOptions;
  /** How often tokens were revoked since the start. */
  #revocations = 0;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Who signs in at this moment is looked at once more, since tokens may have gone meanwhile. */
  noteRevocation(): void {
    this.#revocations++;
  }

  /** Null: the client is let in. Rejects when it cannot be checked. */
  async judge(client: Client, username: string | undefined): Promise<ConnectAnswer | null> {
    const { access, book, limits } = this.#options;
    const connection = guardedConnection(client);
    const packet = connection?.connectPacket;
    if (!connection || !packet) return 'later';
    if (!username) {
      noteRefusal(this.#options, 'anonymous', connection);
      return connectAnswers.notAuthorized;
    }
    const clientId = packet.clientId;
    if (clientId.length > limits.clientId || (clientId === '' && !packet.clean)) {
      noteRefusal(this.#options, 'client_id', connection, { username: clientText(username) });
      return connectAnswers.clientId;
    }
    let seen = this.#revocations;
    const { address } = connection;
    const login = { username, password: packet.password?.toString('utf8') ?? '', clientId: clientId || null, address };
    let verdict = await access.login(login);
    while (verdict.verdict === 'allow' && seen !== this.#revocations) {
      seen = this.#revocations;
      verdict = await this.#again(verdict);
    }
    // From here to the entry in the book nothing is awaited, so no revocation can slip through.
    if (verdict.verdict !== 'allow')
      return verdict.verdict === 'bad_token' ? connectAnswers.badToken : connectAnswers.notAuthorized;
    if (client.closed || connection.destroyed) return 'later';
    const { user } = verdict;
    if (book.count(user.name) >= (user.role === 'demo' ? limits.demoConnections : limits.connectionsOfUser)) {
      noteRefusal(this.#options, 'too_many_connections', connection, { username: user.name });
      return 'later';
    }
    this.#name(client, connection, packet, user);
    return null;
  }

  /** Some token was revoked while this one was looked at. */
  async #again(verdict: LoginVerdict & { readonly verdict: 'allow' }): Promise<LoginVerdict> {
    const { deviceId, token } = verdict.user;
    if (deviceId === null || token === null) return verdict;
    const alive = await this.#options.access.aliveOf(deviceId, [token.jti]);
    return alive.has(token.jti) ? verdict : { verdict: 'bad_token' };
  }

  /** Client ids are a matter of each user's own: nobody takes over somebody else's session. */
  #name(client: Client, connection: GuardedConnection, packet: ConnectPacket, user: BrokerUser): void {
    // Visitors share a name, so each is somebody else and leaves nothing behind.
    const isVisitor = user.role === 'demo';
    if (isVisitor) client.clean = true;
    client.id = `${user.name}/${isVisitor || packet.clientId === '' ? randomUUID() : packet.clientId}`;
    connection.user = user;
    this.#options.book.add(user.name, connection);
  }
}
