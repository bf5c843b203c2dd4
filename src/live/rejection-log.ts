import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import type { LocalText } from '../core/catalog.ts';
import { catalogIn } from '../core/catalog.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import { Failure } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { logText } from '../core/log-text.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices, updateDeviceSilently } from '../device/devices.ts';
import { deviceIdOf, deviceUsername } from './topics.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

// A client that repeats rejected messages must neither fill the database nor displace the device's own logs.
/** Notices per device and minute, of rejections and of unknown channels. */
const maxNoticesPerMinute = 10;
/** The same per day. */
const maxNoticesPerDay = 100;
/** Notices to all devices per minute. */
const maxTotalNoticesPerMinute = 600;
/** Concurrent writes of notices; further ones are dropped. */
const maxConcurrentWrites = 50;
// Any client can cause rejections of some kinds: they must not displace those of other kinds and users.
/** Log lines per reason and minute. */
const maxLinesPerMinute = 120;
/** The same per username. */
const maxLinesPerUser = 30;
/** Topics whose last report is remembered. */
const maxReportedTopics = 10_000;

/** Reasons of which the device is not notified. */
type SilentReason =
  | 'guest'
  | 'admin_password'
  | 'admin_blocked'
  | 'demos_off'
  | 'demo_topic'
  | 'bad_token'
  | 'too_many_logins'
  | 'hooks_address'
  // Written by strangers: only the token shows the garden whose log a client may fill.
  | 'wrong_device';

/** Explanations in the device's log, by the reasons of rejections. [rule M9] */
const explanations = {
  client_id: 'the client id belongs to another device',
  not_robot: 'the role or the scopes of its token do not permit to be the robot',
  vhost: 'the virtual host does not exist',
  resource: 'clients may only use queues and exchanges',
  public_topic: 'clients may only read public topics',
  staff_topic: 'only support staff may write to the terminal',
  foreign_topic: 'the topic belongs to another device',
  malformed_topic: 'the topic does not exist',
  rights: 'the role or the scopes of its token do not permit the topic',
  ended: 'its session or token has ended',
};

const en = {
  unknownChannel: (client: string, topic: string) =>
    `The message broker dropped a message of ${client}: there is no channel ${topic}.`,
  explanations,
  refused: (client: string, explanation: string) => `The message broker refused ${client}: ${explanation}.`,
  excess: (client: string) =>
    `${client} signed in to the message broker too often and has to wait up to five minutes. Check whether two robots or programs use the same account.`,
};

const fr: typeof en = {
  unknownChannel: (client, topic) =>
    `Le courtier de messages a ignoré un message de ${client} : le canal ${topic} n’existe pas.`,
  explanations: {
    client_id: 'l’identifiant du client est celui d’un autre appareil',
    not_robot: 'le rôle ou les droits de son jeton ne permettent pas d’être le robot',
    vhost: 'l’hôte virtuel n’existe pas',
    resource: 'les clients ne peuvent utiliser que des files et des échanges',
    public_topic: 'les clients ne peuvent que lire les sujets publics',
    staff_topic: 'seule l’assistance peut écrire dans le terminal',
    foreign_topic: 'le sujet est celui d’un autre appareil',
    malformed_topic: 'le sujet n’existe pas',
    rights: 'le rôle ou les droits de son jeton ne permettent pas le sujet',
    ended: 'sa session ou son jeton n’est plus valable',
  },
  refused: (client, explanation) => `Le courtier de messages a refusé ${client} : ${explanation}.`,
  excess: (client) =>
    `${client} s’est connecté trop souvent au courtier de messages et doit attendre jusqu’à cinq minutes. Vérifiez si deux robots ou programmes utilisent le même compte.`,
};

const textIn = catalogIn({ en, fr });

export type RejectionReason = SilentReason | keyof typeof explanations;

const isExplained = (reason: RejectionReason): reason is keyof typeof explanations =>
  Object.hasOwn(explanations, reason);

/** A rejected client. The texts come from the client; none is a secret. */
export interface Rejection {
  readonly username: string;
  readonly address?: string;
  readonly topic?: string;
}

export interface RejectionLogOptions {
  readonly server: () => ServerScope;
  /** Notifies the device's owner. */
  readonly notify: (scope: DeviceScope, message: LocalText, channels?: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** Counts and logs rejections, and notifies the device with the rejected username in the background. Never throws. */
export class RejectionLog {
  readonly #options: RejectionLogOptions;
  readonly #lines = new FixedWindow(maxLinesPerMinute, minute);
  readonly #linesPerUser = new FixedWindow(maxLinesPerUser, minute);
  readonly #noticesPerMinute = new FixedWindow(maxNoticesPerMinute, minute);
  readonly #noticesPerDay = new FixedWindow(maxNoticesPerDay, day);
  readonly #totalNotices = new FixedWindow(maxTotalNoticesPerMinute, minute);
  readonly #mailChecks = new FixedWindow(1, minute);
  /** When messages on unknown channels were reported last, by topics. */
  readonly #reportedAt = new LRUCache<string, number>(maxEntries(maxReportedTopics));
  readonly #writes = new Set<Promise<void>>();
  #suppressedLines = 0;

  constructor(options: RejectionLogOptions) {
    this.#options = options;
  }

  add(reason: RejectionReason, rejection: Rejection): void {
    this.#options.counters.add('broker_refusals', reason);
    this.#writeLine(reason, rejection);
    const deviceId = deviceIdOf(rejection.username);
    if (deviceId === null || !isExplained(reason) || !this.#allowsNotice('rejection', deviceId)) return;
    this.#inBackground(() =>
      this.#notify(deviceId, (text) => text.refused(deviceUsername(deviceId), text.explanations[reason])),
    );
  }

  /** Adds a dropped message on an unknown channel of its device, once a minute for each topic. [rule M26] */
  addUnknownChannel({ username, topic }: Required<Pick<Rejection, 'username' | 'topic'>>): void {
    const now = this.#options.clock.now();
    const shownTopic = logText(topic);
    const last = this.#reportedAt.get(shownTopic);
    if (last !== undefined && Math.abs(now - last) < minute) return;
    this.#reportedAt.set(shownTopic, now);
    this.#writeLine('unknown_channel', { username, topic });
    const deviceId = deviceIdOf(username);
    if (deviceId === null || !this.#allowsNotice('unknown_channel', deviceId)) return;
    this.#inBackground(() => this.#notify(deviceId, (text) => text.unknownChannel(username, shownTopic)));
  }

  /** Adds a sign-in beyond the limit. The device's owner gets a mail about it, once a day. [rule M10] */
  addExcessLogin(deviceId: number, rejection: Rejection): void {
    this.add('too_many_logins', rejection);
    // Once a minute is often enough to check whether a day has passed.
    if (this.#mailChecks.consume(String(deviceId), this.#options.clock.now()))
      this.#inBackground(() => this.#notifyOfExcessLogin(deviceId));
  }

  /** Resolves when all notices are written. */
  async settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  #allowsNotice(kind: 'rejection' | 'unknown_channel', deviceId: number): boolean {
    const now = this.#options.clock.now();
    const key = `${kind} ${deviceId}`;
    return this.#noticesPerMinute.consume(key, now) && this.#noticesPerDay.consume(key, now);
  }

  #writeLine(reason: RejectionReason | 'unknown_channel', { username, address, topic }: Rejection): void {
    const { log, clock } = this.#options;
    const now = clock.now();
    if (!this.#linesPerUser.consume(`${reason} ${logText(username)}`, now) || !this.#lines.consume(reason, now)) {
      this.#suppressedLines++;
      return;
    }
    const level = reason === 'admin_password' || reason === 'admin_blocked' ? 'warn' : 'info';
    log[level](
      {
        reason,
        username: logText(username),
        ...(address !== undefined && { address }),
        ...(topic !== undefined && { topic: logText(topic) }),
        ...(this.#suppressedLines > 0 && { suppressed: this.#suppressedLines }),
      },
      reason === 'unknown_channel' ? 'the message broker dropped a message' : 'the message broker refused a client',
    );
    this.#suppressedLines = 0;
  }

  async #notify(deviceId: number, message: (text: typeof en) => string): Promise<void> {
    const scope = this.#options.server().device(deviceId);
    if (!(await scope.first(devices)) || !this.#totalNotices.consume('', this.#options.clock.now())) return;
    await this.#options.notify(scope, (language) => message(textIn(language)));
  }

  async #notifyOfExcessLogin(deviceId: number): Promise<void> {
    const { server, clock, notify } = this.#options;
    await server()
      .device(deviceId)
      .transaction(async (scope) => {
        const row = await scope.first(devices);
        if (!row) return;
        const last = row.mqtt_rate_limit_email_sent_at;
        if (last !== null && clock.now() - Date.parse(last) < day) return;
        await updateDeviceSilently(scope, row, { mqtt_rate_limit_email_sent_at: currentTimestamp(clock) });
        await notify(scope, (language) => textIn(language).excess(deviceUsername(deviceId)), ['fatal_email']);
      });
  }

  #inBackground(write: () => Promise<void>): void {
    if (this.#writes.size >= maxConcurrentWrites) return;
    const promise = write()
      .catch((error: unknown) => {
        // The device was deleted concurrently.
        if (error instanceof Failure && error.code === 'bad_token') return;
        this.#options.log.warn({ reason: String(error) }, 'a device could not be notified of a rejection');
      })
      .finally(() => this.#writes.delete(promise));
    this.#writes.add(promise);
  }
}
