import { LRUCache } from 'lru-cache';
import { timestamp } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { bigint } from '../engine/fields.ts';
import { show } from '../engine/records.ts';
import type { Retention } from '../engine/trimming.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { DeviceRow } from './devices.ts';
import { ownDevice } from './devices.ts';
import { mailSoon } from './log-mails.ts';
import { logs } from './logs.ts';

export type LogRow = RowOf<typeof logs>;
/** A log that was read and may be stored. */
export type LogValues = Insertable<LogRow>;

/** Words that a robot's secrets stand beside in its own messages: such a log is not taken. [reference 8.1] */
const secretWords = /WPA|PSK|PASSWORD|NERVES/i;

/** Seconds since the epoch, from the year 1 to the year 9999: beyond them the two databases disagree. */
const sentFields = {
  created_at: bigint()
    .range(-62_135_596_800, 253_402_300_799, 'model')
    .describe('When it happened, in seconds since the epoch; now, if left out.'),
};

/** What a client may send of a log. */
export const sentLog = { ...logs, fields: { ...logs.fields, ...sentFields } };

/** Days after which logs go, where the device has no number of its own. [reference 8.2] */
const usualAge = 60;

/** How many logs a device keeps, and from when on. */
export const logRetention = (device: DeviceRow, now: number): Retention => ({
  maxRows: device.max_log_count,
  olderThan: timestamp(now - (device.max_log_age_in_days > 0 ? device.max_log_age_in_days : usualAge) * 86_400_000),
});

/** Of a robot's own logs, so many come between two trims: a trim costs as much as storing a dozen. Lists are limited anyway. */
const untrimmed = 50;
/** Devices whose logs are counted for that. */
const countedDevices = 20_000;

/** Where a device's logs are written, whoever they come from. */
export class LogStore {
  readonly #queue: JobQueue;
  readonly #untrimmed = new LRUCache<number, number>({ max: countedDevices });

  constructor(queue: JobQueue) {
    this.#queue = queue;
  }

  /** Stores a log that a client sent, inside a transaction. Gives its JSON. Throws 422; key `log` for one with secrets. */
  async store(scope: DeviceScope, body: Body): Promise<string> {
    const row = await this.insert(scope, this.read(body));
    return show(scope, logs, row.id);
  }

  /** Reads a log that a robot or another client sent. Throws 422; key `log` for one with secrets. */
  read(body: Body): LogValues {
    const reading = parseBody(logs.fields, body, 'create');
    const sent = parseBody(sentFields, body, 'update');
    assertValid({
      values: {},
      failures: { ...reading.failures, ...sent.failures },
      modelProblems: [...reading.modelProblems, ...sent.modelProblems],
    });
    const values = reading.values as LogValues;
    if (secretWords.test(values.message)) throw invalid({ log: 'This log may hold a secret and was not stored.' });
    const seconds = sent.values.created_at;
    return typeof seconds === 'number' ? { ...values, created_at: timestamp(seconds * 1000) } : values;
  }

  /** Stores a log whose values are right, inside a transaction, and sees to its mail. */
  async insert(scope: DeviceScope, values: LogValues): Promise<LogRow> {
    const mail = mailOf(values.channels);
    const row = await scope.insert(logs, { ...values, mail });
    if (mail) await mailSoon(scope, this.#queue, mail);
    this.trim(scope);
    return row;
  }

  /** Stores many logs that were read, in their order, inside a transaction, and sees to their mail. */
  async storeAll(scope: DeviceScope, all: readonly LogValues[]): Promise<void> {
    const rows = all.map((values) => ({ ...values, mail: mailOf(values.channels) }));
    await scope.insertAll(logs, rows);
    for (const mail of new Set(rows.map((row) => row.mail))) if (mail) await mailSoon(scope, this.#queue, mail);
    const count = (this.#untrimmed.get(scope.deviceId) ?? 0) + rows.length;
    this.#untrimmed.set(scope.deviceId, count < untrimmed ? count : 0);
    if (count >= untrimmed) this.trim(scope);
  }

  /** Has old logs deleted before long. */
  trim(scope: DeviceScope): void {
    scheduleTrim(scope, logs, async (later) => logRetention(await ownDevice(later), later.clock.now()));
  }
}

/** [reference 8.6] */
function mailOf(channels: readonly string[]): 'fatal' | 'digest' | null {
  if (channels.includes('fatal_email')) return 'fatal';
  return channels.some((name) => name.includes('email')) ? 'digest' : null;
}
