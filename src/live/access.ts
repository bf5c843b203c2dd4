import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { deviceUsername } from './broker.ts';
import { AdminPassword, LoginLimit } from './login-limiter.ts';
import type { Rejection, RejectionReason } from './rejection-log.ts';
import { RejectionLog } from './rejection-log.ts';
import { demoName, topicRuling } from './topic-permissions.ts';

/** What the broker needs to know of tokens; the accounts answer it. */
export interface BrokerTokens {
  /** Whose token it is, if it is valid now. */
  holder(server: ServerScope, token: string): Promise<TokenHolder | undefined>;
  /** Of these tokens (`jti`) of a device, those that are still valid. */
  alive(server: ServerScope, deviceId: number, jtis: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether a token for staff was issued for the device and is valid. */
  hasStaff(server: ServerScope, deviceId: number): Promise<boolean>;
}

export interface TokenHolder {
  readonly deviceId: number;
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** What a client says of itself when it connects. */
export interface Login {
  readonly username: string;
  readonly password: string;
  /** The MQTT client id, where it is known. */
  readonly clientId: string | null;
  /** Where it connects from; for the hooks, where the broker that asks is. */
  readonly address: string;
}

/** Somebody whom the broker let in. */
export interface BrokerUser {
  readonly name: string;
  readonly role: 'device' | 'admin' | 'demo';
  /** Null for `admin` and `farmbot_demo`. */
  readonly deviceId: number | null;
  readonly token: Pick<TokenHolder, 'jti' | 'expires'> | null;
}

export type LoginVerdict =
  | { readonly verdict: 'allow'; readonly user: BrokerUser }
  | { readonly verdict: 'deny' }
  | { readonly verdict: 'bad_token' };

export type Permission = 'read' | 'write';
export type TopicVerdict = 'allow' | 'deny' | 'malformed';

export interface AccessOptions {
  readonly server: () => ServerScope;
  readonly tokens: BrokerTokens;
  /** Null, or shorter than 5 characters: nobody is `admin`. */
  readonly adminPassword: string | null;
  /** Whether visitors may sign in as `farmbot_demo`. */
  readonly allowsDemoLogins: boolean;
  /** Off: logins are not counted. */
  readonly limitsRates: boolean;
  readonly vhost: string;
  /** Remembers which token a client signed in with, where the broker does not know it. False: the client id is another device's. Null: the broker knows. */
  readonly remember?:
    | ((session: { readonly deviceId: number; readonly clientId: string; readonly jti: string }) => Promise<boolean>)
    | null;
  /** Told of each device's client that was let in. */
  readonly onConnect?: ((deviceId: number) => void) | undefined;
  /** Tells the device's owner of a refusal. */
  readonly notify: (scope: DeviceScope, message: string, channels?: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** Logins of one device in a window. [reference 12.2] */
const deviceLogins = 20;
/** Logins of all demo visitors together in a window. [reference 12.2] */
const demoLogins = 256;

export const adminName = 'admin';
export const guestName = 'guest';

const kinds: ReadonlySet<string> = new Set(['queue', 'exchange']);
const doings: ReadonlySet<string> = new Set(['configure', 'read', 'write']);

/** Who may enter the message broker, and what they may read and write there: the same for the broker built in and for the hooks of another. [reference 12.2] */
export class BrokerAccess {
  readonly #options: AccessOptions;
  readonly #admin: AdminPassword;
  readonly #logins = new LoginLimit();
  readonly #refusals: RejectionLog;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#admin = new AdminPassword(options.adminPassword);
    this.#refusals = new RejectionLog(options);
  }

  /** Whether somebody may connect. A token is judged before the name: who has none learns nothing about names. */
  async login(login: Login): Promise<LoginVerdict> {
    const verdict = await this.#judge(login);
    if (verdict.verdict === 'allow') {
      this.#options.counters.add('broker_logins');
      if (verdict.user.deviceId !== null) this.#options.onConnect?.(verdict.user.deviceId);
    }
    return verdict;
  }

  async #judge(login: Login): Promise<LoginVerdict> {
    const { username, password, address } = login;
    const { server, tokens, allowsDemoLogins, clock, remember } = this.#options;
    if (username === guestName) return this.#refuseLogin('guest', login);
    if (username === adminName) {
      const result = this.#admin.check(password, address, clock.now(), login.clientId !== null);
      if (result !== 'right')
        return this.#refuseLogin(result === 'blocked' ? 'admin_blocked' : 'admin_password', login);
      return { verdict: 'allow', user: { name: username, role: 'admin', deviceId: null, token: null } };
    }
    if (username === demoName) {
      if (!allowsDemoLogins) return this.#refuseLogin('demos_off', login);
      if (!this.#admits(username, demoLogins)) return this.#refuseLogin('too_many_logins', login);
      return { verdict: 'allow', user: { name: username, role: 'demo', deviceId: null, token: null } };
    }
    const holder = await tokens.holder(server(), password);
    if (!holder) {
      this.refuse('bad_token', { username, address });
      return { verdict: 'bad_token' };
    }
    const { deviceId, jti, expires } = holder;
    if (username !== deviceUsername(deviceId)) return this.#refuseLogin('wrong_device', login);
    if (!this.#admits(username, deviceLogins)) {
      this.#refusals.noteLogin(deviceId, { username, address });
      return { verdict: 'deny' };
    }
    if (remember && login.clientId !== null && !(await remember({ deviceId, clientId: login.clientId, jti })))
      return this.#refuseLogin('client_id', login);
    return { verdict: 'allow', user: { name: username, role: 'device', deviceId, token: { jti, expires } } };
  }

  /** Whether a virtual host is the one that is served. */
  async vhost(username: string, vhost: string): Promise<'allow' | 'deny'> {
    if (username === adminName || vhost === this.#options.vhost) return 'allow';
    this.refuse('vhost', { username });
    return 'deny';
  }

  /** Queues and exchanges as such are open to all; what they carry is a matter of topics. */
  async resource(username: string, resource: string, permission = ''): Promise<'allow' | 'deny'> {
    if (username === adminName || (kinds.has(resource) && doings.has(permission))) return 'allow';
    this.refuse('resource', { username });
    return 'deny';
  }

  /** Whether a user may `read` or `write` a topic, in AMQP's form. */
  async topic(username: string, permission: string, routingKey: string): Promise<TopicVerdict> {
    if (username === adminName) return 'allow';
    if (username === demoName && !this.#options.allowsDemoLogins) {
      this.refuse('demos_off', { username });
      return 'deny';
    }
    const { verdict, staffOf } = topicRuling(username, permission, routingKey);
    if (staffOf !== undefined && !(await this.#hasStaff(staffOf))) {
      this.refuse('staff_topic', { username, topic: routingKey });
      return 'deny';
    }
    if (verdict === 'malformed') this.refuse('malformed_topic', { username, topic: routingKey });
    // The secret of a demo account is in its topic.
    else if (verdict === 'deny' && username === demoName) this.refuse('demo_topic', { username });
    else if (verdict === 'deny')
      this.refuse(routingKey.startsWith('public_') ? 'public_topic' : 'foreign_topic', { username, topic: routingKey });
    return verdict;
  }

  /** Of these tokens (`jti`) of a device, those that are still valid. */
  aliveOf(deviceId: number, jtis: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#options.tokens.alive(this.#options.server(), deviceId, jtis);
  }

  /** Counts and logs a refusal, and tells the device of it in the background. */
  refuse(reason: RejectionReason, refusal: Rejection): void {
    this.#refusals.note(reason, refusal);
  }

  /** Resolves when devices were told of the refusals so far. */
  settled(): Promise<void> {
    return this.#refusals.settled();
  }

  #admits(name: string, most: number): boolean {
    const { limitsRates, clock } = this.#options;
    return !limitsRates || this.#logins.admits(name, most, clock.now());
  }

  async #hasStaff(deviceId: number): Promise<boolean> {
    return Number.isSafeInteger(deviceId) && this.#options.tokens.hasStaff(this.#options.server(), deviceId);
  }

  #refuseLogin(reason: RejectionReason, { username, address }: Login): LoginVerdict {
    this.refuse(reason, { username, address });
    return { verdict: 'deny' };
  }
}
