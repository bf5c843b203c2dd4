import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { invalid } from '../core/errors.ts';
import { maxEpochSeconds, minEpochSeconds } from '../core/time-formats.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { bigint } from '../engine/fields.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { ownDevice } from './devices.ts';
import { enqueueLogMail } from './log-mails.ts';
import { deleteSurplusLogs, isImportant } from './log-retention.ts';
import { logs } from './logs.ts';
import { say } from './messages.ts';

export type LogRow = RowOf<typeof logs>;
/** A parsed log. */
export type LogValues = Insertable<LogRow>;

/** Words beside which robots log their secrets. [rule D21] */
const secretWords = /WPA|PSK|PASSWORD|NERVES/i;

const sentFields = {
  created_at: bigint()
    .range(minEpochSeconds, maxEpochSeconds, 'model')
    .describe('In seconds since the epoch, and shown as sent. Default: now.'),
};

/** A log as clients send it. */
export const sentLog = { ...logs, fields: { ...logs.fields, ...sentFields } };

/** Logs of a device that are stored between two trims: a trim counts all of them, up to thousands. Lists are limited anyway. */
const trimInterval = 200;
/** How long after a log the broker may deliver it again, in ms. */
const repetitionTime = 3600_000;
/** Devices whose untrimmed logs are counted. */
const countedDevices = 20_000;

/** Called for each log in the transaction that stores it. */
export type LogListener = (scope: DeviceScope, log: Pick<LogRow, 'type' | 'message' | 'channels'>) => Promise<void>;

/** Stores logs from HTTP, the broker and the server itself. */
export class LogStore {
  readonly #queue: JobQueue;
  readonly #listeners: LogListener[] = [];
  readonly #untrimmed = new LRUCache<number, number>(maxEntries(countedDevices));

  constructor(queue: JobQueue) {
    this.#queue = queue;
  }

  /** Calls the listener for each log that is stored. */
  observe(listener: LogListener): void {
    this.#listeners.push(listener);
  }

  /** Parses and stores a log inside a transaction; returns its JSON. Throws 422, with the key `log` if it may contain a secret. */
  store(scope: DeviceScope, body: Body): Promise<string> {
    return this.insert(scope, this.read(body));
  }

  /** Returns whether other logs do not push out a log, parsed or not. [rule D22, M19] */
  isImportant({ type }: Body): boolean {
    return isImportant(typeof type === 'string' ? type.trim() : type);
  }

  /** Parses a log. Throws 422, with the key `log` if it may contain a secret. [decision 45] */
  read(body: Body): LogValues {
    const parsed = parseBody(sentLog.fields, body, 'create');
    assertValid(parsed);
    const values = parsed.values as LogValues;
    if (secretWords.test(values.message)) throw invalid({ log: say.secret });
    const seconds = parsed.values.created_at;
    return typeof seconds === 'number' ? { ...values, created_at: timestamp(seconds * 1000) } : values;
  }

  /** Stores a parsed log that did not come from the broker, inside a transaction, and enqueues its mail; returns its JSON. */
  async insert(scope: DeviceScope, values: LogValues): Promise<string> {
    const mail = mailKindOf(values.channels);
    const json = await scope.insert(logs, { ...values, mail, posted: true }, jsonSelection(logs));
    if (mail) await enqueueLogMail(scope, this.#queue, mail);
    await this.#report(scope, values);
    this.#stored(scope, 1);
    return json;
  }

  /** Returns whether the same log was stored before: with the time that the robot sent, or else within the last hour if `isLikely`. */
  async isStored(scope: DeviceScope, values: LogValues, isLikely: boolean): Promise<boolean> {
    const { message, created_at, type, verbosity, x = null, y = null, z = null } = values;
    if (created_at === undefined && !isLikely) return false;
    const time = created_at ?? { gte: timestamp(scope.clock.now() - repetitionTime) };
    return (await scope.count(logs, { where: { message, created_at: time, type, verbosity, x, y, z } })) > 0;
  }

  /** Stores parsed logs in order, inside a transaction, and enqueues their mail. */
  async storeAll(scope: DeviceScope, all: readonly LogValues[]): Promise<void> {
    const rows = all.map((values) => ({ ...values, mail: mailKindOf(values.channels) }));
    await scope.insertAll(logs, rows);
    for (const mail of new Set(rows.map((row) => row.mail))) if (mail) await enqueueLogMail(scope, this.#queue, mail);
    for (const values of all) await this.#report(scope, values);
    this.#stored(scope, rows.length);
  }

  /** Schedules the deletion of old logs once so many were stored since the last one. */
  #stored(scope: DeviceScope, added: number): void {
    const count = (this.#untrimmed.get(scope.deviceId) ?? 0) + added;
    this.#untrimmed.set(scope.deviceId, count < trimInterval ? count : 0);
    if (count >= trimInterval) this.trim(scope);
  }

  async #report(scope: DeviceScope, log: LogValues): Promise<void> {
    for (const listener of this.#listeners) await listener(scope, log);
  }

  /** Schedules the deletion of old logs. */
  trim(scope: DeviceScope): void {
    scheduleTrim(scope, logs, async (later) =>
      deleteSurplusLogs(later, await ownDevice(later), confirmedNow(later.clock)),
    );
  }
}

/** Returns the kind of mail that a log is sent with. [rule D25] */
function mailKindOf(channels: readonly string[]): 'fatal' | 'digest' | null {
  if (channels.includes('fatal_email')) return 'fatal';
  return channels.some((name) => name.includes('email')) ? 'digest' : null;
}
