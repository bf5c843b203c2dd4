import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import { Failure } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices, updateDeviceSilently } from '../device/devices.ts';
import { deviceUsername } from './broker.ts';
import { clientText } from './client-text.ts';
import { deviceNamed } from './topic-permissions.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

// Anybody can be refused in a device's name, without its token: notices must neither fill the database nor push a device's own logs out.
/** Notices of refusals that one device gets in a minute … */
const noticesPerMinute = 10;
/** … and in a day. */
const noticesPerDay = 100;
/** Notices that all devices together get in a minute. */
const noticesOfAll = 600;
/** Notices that are being written at once; further ones are left out. */
const mostUnderWay = 50;
/** Lines in the log in a minute. */
const linesPerMinute = 120;

/** Why the broker refused, and what the device's owner is told of it; null: nothing. */
const reasons = {
  guest: null,
  admin_password: null,
  admin_blocked: null,
  demos_off: null,
  demo_topic: null,
  bad_token: null,
  too_many_logins: null,
  hooks_address: null,
  client_id: 'a client came with the name of another one',
  wrong_device: 'somebody tried to sign in with the token of another device',
  vhost: 'a client asked for a virtual host that is not served',
  resource: 'a client asked for more than to use queues and exchanges',
  public_topic: 'clients may only read what is meant for everybody',
  staff_topic: 'only support staff may write to the terminal',
  foreign_topic: 'the topic belongs to another device',
  malformed_topic: 'there is no such topic',
} as const;

export type RejectionReason = keyof typeof reasons;

/** What is known of a refusal. The texts are a client's; none is a secret. */
export interface Rejection {
  readonly username: string;
  readonly address?: string;
  readonly topic?: string;
}

export interface RejectionLogOptions {
  readonly server: () => ServerScope;
  /** Tells the device's owner. */
  readonly notify: (scope: DeviceScope, message: string, channels?: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** Counts and logs what the broker refuses, and tells the device in whose name it was asked. Nobody waits for it, and it never fails. */
export class RejectionLog {
  readonly #options: RejectionLogOptions;
  readonly #lines = new FixedWindow(linesPerMinute, minute);
  readonly #ofMinute = new FixedWindow(noticesPerMinute, minute);
  readonly #ofDay = new FixedWindow(noticesPerDay, day);
  readonly #ofAll = new FixedWindow(noticesOfAll, minute);
  readonly #mails = new FixedWindow(1, minute);
  readonly #underWay = new Set<Promise<void>>();
  #unlogged = 0;

  constructor(options: RejectionLogOptions) {
    this.#options = options;
  }

  /** Takes note of a refusal. */
  note(reason: RejectionReason, refusal: Rejection): void {
    this.#options.counters.add('broker_refusals', reason);
    this.#write(reason, refusal);
    const deviceId = deviceNamed(refusal.username);
    const why = reasons[reason];
    if (deviceId === null || why === null || !this.#mayTell(deviceId)) return;
    this.#inBackground(() => this.#tell(deviceId, why));
  }

  /** Takes note of a login that was one too many; the device's owner gets a mail about it once a day. [reference 12.6] */
  noteLogin(deviceId: number, refusal: Rejection): void {
    this.note('too_many_logins', refusal);
    // Once a minute is often enough to look whether a day has gone by.
    if (this.#mails.consume(String(deviceId), this.#options.clock.now()))
      this.#inBackground(() => this.#tellOfLogins(deviceId));
  }

  /** Resolves when what is under way is told. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #mayTell(deviceId: number): boolean {
    const now = this.#options.clock.now();
    return this.#ofMinute.consume(String(deviceId), now) && this.#ofDay.consume(String(deviceId), now);
  }

  #write(reason: RejectionReason, { username, address, topic }: Rejection): void {
    const { log, clock } = this.#options;
    if (!this.#lines.consume('', clock.now())) {
      this.#unlogged++;
      return;
    }
    const isAdmins = reason === 'admin_password' || reason === 'admin_blocked';
    log[isAdmins ? 'warn' : 'info'](
      {
        reason,
        username: clientText(username),
        ...(address !== undefined && { address }),
        ...(topic !== undefined && { topic: clientText(topic) }),
        ...(this.#unlogged > 0 && { unlogged: this.#unlogged }),
      },
      'the message broker refused a client',
    );
    this.#unlogged = 0;
  }

  async #tell(deviceId: number, why: string): Promise<void> {
    const scope = this.#options.server().device(deviceId);
    if (!(await scope.first(devices)) || !this.#ofAll.consume('', this.#options.clock.now())) return;
    await this.#options.notify(scope, `The message broker refused ${deviceUsername(deviceId)}: ${why}.`);
  }

  async #tellOfLogins(deviceId: number): Promise<void> {
    const { server, clock, notify } = this.#options;
    await server()
      .device(deviceId)
      .transaction(async (scope) => {
        const row = await scope.first(devices);
        if (!row) return;
        const last = row.mqtt_rate_limit_email_sent_at;
        if (last !== null && clock.now() - Date.parse(last) < day) return;
        await updateDeviceSilently(scope, row, { mqtt_rate_limit_email_sent_at: currentTimestamp(clock) });
        const message = `${deviceUsername(deviceId)} signed in to the message broker too often and has to wait up to five minutes. Two robots or programs that use one account may be in each other's way.`;
        await notify(scope, message, ['fatal_email']);
      });
  }

  #inBackground(work: () => Promise<void>): void {
    if (this.#underWay.size >= mostUnderWay) return;
    const promise = work()
      .catch((error: unknown) => {
        // A device that was deleted meanwhile is nobody to tell.
        if (error instanceof Failure && error.code === 'bad_token') return;
        this.#options.log.warn({ reason: String(error) }, 'a device could not be told of a refusal');
      })
      .finally(() => this.#underWay.delete(promise));
    this.#underWay.add(promise);
  }
}
