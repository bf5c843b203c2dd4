import type { AccountsOffer } from '../accounts/offer.ts';
import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Rights } from '../engine/rights.ts';
import { allRights } from '../engine/rights.ts';
import type { DeviceTokens, TokenReference } from '../engine/token-reference.ts';
import type { GardenUsers } from '../home-assistant/offer.ts';
import { AdminPassword, LoginLimiter } from './login-limits.ts';
import type { Rejection, RejectionLogOptions, RejectionReason } from './rejection-log.ts';
import { RejectionLog } from './rejection-log.ts';
import { demoName, topicPermission } from './topic-permissions.ts';
import type { TopicRights } from './topic-rights.ts';
import { mayUseTopic } from './topic-rights.ts';
import { deviceIdOf, deviceTopic, deviceUsername, isRobotClientId, publicTopic, routingKeyOf } from './topics.ts';

export type RobotConnectListener = (deviceId: number, jti: string) => void;

/** The sign-in data of a client. */
export interface Login {
  readonly username: string;
  readonly password: string;
  /** MQTT client id; null where it is unknown. */
  readonly clientId: string | null;
  /** IP address of the client; for the hooks, of the broker that asks. */
  readonly address: string;
}

/** A user that may connect to the broker. */
export interface BrokerUser {
  readonly name: string;
  /** `garden`: Home Assistant. */
  readonly role: 'device' | 'admin' | 'demo' | 'garden';
  /** Null for `admin` and `farmbot_demo`. */
  readonly deviceId: number | null;
  readonly token: { readonly jti: string; readonly expires: number } | null;
  /** The facts about the token for RabbitMQ; null where the broker is built in. */
  readonly reference: TokenReference | null;
  readonly rights: Rights;
  /** It signed in with a robot's session or client id. */
  readonly isRobot: boolean;
  /** It is a robot that the server runs. */
  readonly isHosted?: boolean;
}

export type LoginVerdict =
  | { readonly verdict: 'allow'; readonly user: BrokerUser }
  | { readonly verdict: 'deny' }
  | { readonly verdict: 'bad_token' };

export type TopicVerdict = 'allow' | 'deny' | 'malformed';

export interface AccessOptions extends RejectionLogOptions {
  readonly server: () => ServerScope;
  /** The session tokens. */
  readonly tokens: AccountsOffer['brokerTokens'];
  /** Home Assistant's; null: none. */
  readonly gardenUsers?: GardenUsers | null;
  readonly resourceRights: TopicRights['resources'];
  /** With null, or fewer than 5 characters, `admin` cannot sign in. */
  readonly adminPassword: string | null;
  /** Returns whether visitors may sign in as `farmbot_demo` at this moment. */
  readonly allowsDemos: (server: ServerScope) => Promise<boolean>;
  /** Whether sign-ins are limited. */
  readonly limitsRates: boolean;
  readonly vhost: string;
  /** Stores the token of a client's sign-in for a broker that does not know it. False: the client id belongs to another device. */
  readonly remember?:
    | ((session: { readonly deviceId: number; readonly clientId: string; readonly jti: string }) => Promise<boolean>)
    | null;
  /** Called for each sign-in of a device's client. */
  readonly onConnect?: ((deviceId: number) => void) | undefined;
  /** Called for each sign-in of a robot, in the process that checked it, with its token (`jti`). */
  readonly onRobotConnect?: RobotConnectListener;
  readonly clock: Clock;
  readonly counters: Counters;
}

/** Sign-ins per robot, and per token of other clients, and window. [rule M3] */
const maxDeviceLogins = 20;
/** The last time of JavaScript, in ms since the epoch. */
const neverExpires = 8.64e15;

/** Sign-ins of all demo visitors per window. [rule M3] */
const maxDemoLogins = 256;

export const adminName = 'admin';
export const guestName = 'guest';
/** The client id of `potager doctor`, which finds out whether this server answers: no client that the operator should know of. */
export const doctorClientId = 'potager_doctor';

const resources: ReadonlySet<string> = new Set(['queue', 'exchange']);
const operations: ReadonlySet<string> = new Set(['configure', 'read', 'write']);

const allowWithoutDevice = (name: string, role: 'admin' | 'demo'): LoginVerdict => ({
  verdict: 'allow',
  user: { name, role, deviceId: null, token: null, reference: null, rights: allRights, isRobot: false },
});

/** Checks clients that connect to the broker, and the topics that they read and write. Used by the built-in broker and by RabbitMQ's hooks. */
export class BrokerAccess {
  readonly #options: AccessOptions;
  readonly #admin: AdminPassword;
  readonly #logins = new LoginLimiter();
  readonly #rejections: RejectionLog;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#admin = new AdminPassword(options.adminPassword);
    this.#rejections = new RejectionLog(options);
  }

  /** Decides whether a client may connect. The token is checked before the username, so that a client without one learns nothing about usernames. [rule M2] */
  async authenticate(login: Login): Promise<LoginVerdict> {
    const verdict = await this.#authenticate(login);
    if (verdict.verdict === 'allow') {
      this.#options.counters.add('broker_logins');
      const { role, deviceId, token, isRobot } = verdict.user;
      if (deviceId !== null && role === 'device') this.#options.onConnect?.(deviceId);
      if (deviceId !== null && token && isRobot) this.#options.onRobotConnect?.(deviceId, token.jti);
    }
    return verdict;
  }

  async #authenticate(login: Login): Promise<LoginVerdict> {
    const { username } = login;
    const { gardenUsers } = this.#options;
    const gardenOf = gardenUsers?.deviceOf(username) ?? null;
    if (gardenUsers && gardenOf !== null) return this.#authenticateGarden(gardenUsers, gardenOf, login);
    if (username === guestName)
      return login.clientId === doctorClientId ? { verdict: 'deny' } : this.#denyLogin('guest', login);
    if (username === adminName) return this.#authenticateAdmin(login);
    if (username === demoName) return this.#authenticateDemo(login);
    return this.#authenticateToken(login);
  }

  #authenticateAdmin(login: Login): LoginVerdict {
    const { username, password, address, clientId } = login;
    const result = this.#admin.check(password, address, this.#options.clock.now(), clientId !== null);
    if (result !== 'correct') return this.#denyLogin(result === 'blocked' ? 'admin_blocked' : 'admin_password', login);
    return allowWithoutDevice(username, 'admin');
  }

  async #authenticateDemo(login: Login): Promise<LoginVerdict> {
    const { server, allowsDemos } = this.#options;
    if (!(await allowsDemos(server()))) return this.#denyLogin('demos_off', login);
    if (!this.#consumeLogin(login.username, maxDemoLogins)) return this.#denyLogin('too_many_logins', login);
    return allowWithoutDevice(login.username, 'demo');
  }

  async #authenticateToken(login: Login): Promise<LoginVerdict> {
    const { username, password, address } = login;
    const { server, tokens, remember } = this.#options;
    const holder = await tokens.findHolder(server(), password);
    if (!holder) {
      this.reject('bad_token', { username, address });
      return { verdict: 'bad_token' };
    }
    const { deviceId, jti, expires, rights, isHosted } = holder;
    const reference = remember ? holder.reference : null;
    if (username !== deviceUsername(deviceId)) return this.#denyLogin('wrong_device', login);
    const isRobot = holder.isRobot || isRobotClientId(deviceId, login.clientId);
    const mayBeRobot = this.permits(rights, 'write', routingKeyOf(deviceTopic(deviceId, 'status')), 'every');
    // It would take the connection of the robot, whose id is not secret, or impersonate it.
    if (isRobot && !mayBeRobot) return this.#denyLogin('not_robot', login);
    // The tabs of a household use up neither the sign-ins of the robot nor each other's.
    if (!this.#consumeLogin(isRobot ? username : jti, maxDeviceLogins)) {
      this.#rejections.addExcessLogin(deviceId, { username, address });
      return { verdict: 'deny' };
    }
    if (remember && login.clientId !== null && !(await remember({ deviceId, clientId: login.clientId, jti })))
      return this.#denyLogin('client_id', login);
    return {
      verdict: 'allow',
      user: {
        name: username,
        role: 'device',
        deviceId,
        token: { jti, expires },
        reference,
        rights,
        isRobot,
        ...(isHosted && { isHosted }),
      },
    };
  }

  async #authenticateGarden(users: GardenUsers, deviceId: number, login: Login): Promise<LoginVerdict> {
    const { username, password, address } = login;
    const jti = users.credentialOf(password);
    if ((await users.validCredential(this.#options.server(), deviceId)) !== jti) {
      this.reject('bad_token', { username, address });
      return { verdict: 'bad_token' };
    }
    if (!this.#consumeLogin(username, maxDeviceLogins)) return this.#denyLogin('too_many_logins', login);
    const token = { jti, expires: neverExpires };
    return {
      verdict: 'allow',
      user: { name: username, role: 'garden', deviceId, token, reference: null, rights: allRights, isRobot: false },
    };
  }

  /** Returns the valid ones of the credentials of a garden's user. */
  async findValidGardenCredentials(deviceId: number, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { gardenUsers, server } = this.#options;
    const valid = gardenUsers ? await gardenUsers.validCredential(server(), deviceId) : null;
    return new Set([...ids].filter((id) => id === valid));
  }

  /** Decides whether a user may use a virtual host. [rule M4] */
  checkVhost(username: string, vhost: string): 'allow' | 'deny' {
    if (username === adminName || vhost === this.#options.vhost) return 'allow';
    this.reject('vhost', { username });
    return 'deny';
  }

  /** Decides whether a user may use a resource. Queues and exchanges are open to all; topics are checked separately. [rule M4] */
  checkResource(username: string, resource: string, operation = ''): 'allow' | 'deny' {
    if (username === adminName || (resources.has(resource) && operations.has(operation))) return 'allow';
    this.reject('resource', { username });
    return 'deny';
  }

  /** Returns whether rights permit topics in AMQP notation. See {@link mayUseTopic}. */
  permits(rights: Rights, operation: 'read' | 'write', routingKey: string, quantifier: 'some' | 'every'): boolean {
    return mayUseTopic({ rights, resources: this.#options.resourceRights }, operation, routingKey, quantifier);
  }

  /** Decides whether a user may `read` or `write` a topic in AMQP notation, with these rights in its garden, and a token if it is known. */
  async checkTopic(
    username: string,
    operation: string,
    routingKey: string,
    rights: Rights = allRights,
    token: TokenReference | null = null,
  ): Promise<TopicVerdict> {
    if (username === adminName) return 'allow';
    if (username === demoName && !(await this.#options.allowsDemos(this.#options.server()))) {
      this.reject('demos_off', { username });
      return 'deny';
    }
    const { verdict, staffDeviceId } = topicPermission(username, operation, routingKey);
    if (staffDeviceId !== undefined && !(await this.#hasStaffToken(staffDeviceId))) {
      this.reject('staff_topic', { username, topic: routingKey });
      return 'deny';
    }
    if (verdict === 'allow' && !this.permits(rights, operation === 'read' ? 'read' : 'write', routingKey, 'every')) {
      this.reject('rights', { username, topic: routingKey });
      return 'deny';
    }
    if (verdict === 'allow' && token && !(await this.#isValid(username, token, rights))) {
      this.reject('ended', { username, topic: routingKey });
      return 'deny';
    }
    if (verdict === 'malformed') this.reject('malformed_topic', { username, topic: routingKey });
    // A demo topic contains the secret of a demo account.
    else if (verdict === 'deny' && username === demoName) this.reject('demo_topic', { username });
    else if (verdict === 'deny')
      this.reject(isPublic(routingKey) ? 'public_topic' : 'foreign_topic', { username, topic: routingKey });
    return verdict;
  }

  /** See {@link BrokerTokens.findValidTokens}. */
  findValidTokens(tokens: DeviceTokens): Promise<DeviceTokens> {
    return this.#options.tokens.findValidTokens(this.#options.server(), tokens);
  }

  /** Counts and logs a rejection, and notifies the device in the background. */
  reject(reason: RejectionReason, rejection: Rejection): void {
    this.#rejections.add(reason, rejection);
  }

  /** Reports a message that was dropped, because its topic is on no channel of its device. */
  reportUnknownChannel(username: string, topic: string): void {
    this.#rejections.addUnknownChannel({ username, topic });
  }

  /** Resolves when all notices about rejections are written. */
  settled(): Promise<void> {
    return this.#rejections.settled();
  }

  #consumeLogin(username: string, limit: number): boolean {
    const { limitsRates, clock } = this.#options;
    return !limitsRates || this.#logins.consume(username, limit, clock.now());
  }

  /** Whether a token is still valid. While that cannot be looked up, its last state counts: RabbitMQ ignores a client for good whose check fails. */
  async #isValid(username: string, token: TokenReference, rights: Rights): Promise<boolean> {
    const { server, tokens, log } = this.#options;
    const deviceId = deviceIdOf(username);
    if (deviceId === null) return false;
    try {
      return await tokens.isValid(server(), deviceId, token, rights);
    } catch (error) {
      log.debug({ reason: String(error), username }, 'the token of a connection was not checked');
      return !tokens.hadEnded(deviceId, token, rights);
    }
  }

  async #hasStaffToken(deviceId: number): Promise<boolean> {
    return Number.isSafeInteger(deviceId) && this.#options.tokens.hasStaffToken(this.#options.server(), deviceId);
  }

  #denyLogin(reason: RejectionReason, { username, address }: Login): LoginVerdict {
    this.reject(reason, { username, address });
    return { verdict: 'deny' };
  }
}

const isPublic = (routingKey: string): boolean => routingKey.startsWith(publicTopic);
