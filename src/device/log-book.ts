import { timestamp } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertReadable, read } from '../engine/body.ts';
import { bigint } from '../engine/fields.ts';
import { toldByModel } from '../engine/kinds.ts';
import { show } from '../engine/records.ts';
import type { Kept } from '../engine/trimming.ts';
import { trimSoon } from '../engine/trimming.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { mailAttempts } from '../mail/message.ts';
import type { DeviceRow } from './devices.ts';
import { ownDevice } from './devices.ts';
import { fatalErrorJob, logDigestJob, nextDigest } from './log-mails.ts';
import { logs } from './logs.ts';

export type LogRow = RowOf<typeof logs>;
type LogValues = Insertable<LogRow>;

/** Words that a robot's secrets stand beside in its own messages: such a log is not taken. [reference 8.1] */
const secretWords = /WPA|PSK|PASSWORD|NERVES/i;

/** Seconds since the epoch up to the year 9999. */
const sentFields = {
  created_at: bigint().check((seconds, name) =>
    Math.abs(seconds) > 253_402_300_799 ? toldByModel(name, 'is beyond what can be stored') : null,
  ),
};

/** Days after which logs go, where the device has no number of its own. [reference 8.2] */
const usualAge = 60;

/** How many logs a device keeps, and from when on. */
export const keptLogs = (device: DeviceRow, now: number): Kept => ({
  count: device.max_log_count,
  olderThan: timestamp(now - (device.max_log_age_in_days > 0 ? device.max_log_age_in_days : usualAge) * 86_400_000),
});

/** Where a device's logs are written, whoever they come from. */
export class LogBook {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** Stores a log that a robot or another client sent, inside a transaction. Gives its JSON. Throws 422; key `log` for one with secrets. */
  async store(scope: DeviceScope, body: Body): Promise<string> {
    const reading = read(logs.fields, body, 'create');
    const sent = read(sentFields, body, 'update');
    assertReadable({
      values: {},
      failures: { ...reading.failures, ...sent.failures },
      model: [...reading.model, ...sent.model],
    });
    const values = reading.values as LogValues;
    if (secretWords.test(values.message)) throw invalid({ log: 'This log may hold a secret and was not stored.' });
    const seconds = sent.values.created_at;
    const row = await this.write(
      scope,
      typeof seconds === 'number' ? { ...values, created_at: timestamp(seconds * 1000) } : values,
    );
    return show(scope, logs, row.id);
  }

  /** Stores a log whose values are right, inside a transaction, and sees to its mail. */
  async write(scope: DeviceScope, values: LogValues): Promise<LogRow> {
    const mail = mailOf(values.channels);
    if (mail === 'digest') await this.#collect(scope);
    const row = await scope.insert(logs, { ...values, mail });
    if (mail === 'fatal')
      await this.#jobs.enqueue(
        scope.server,
        fatalErrorJob,
        { deviceId: scope.deviceId },
        { deviceId: scope.deviceId, maxAttempts: mailAttempts },
      );
    this.trim(scope);
    return row;
  }

  /** Has old logs deleted before long. */
  trim(scope: DeviceScope): void {
    trimSoon(scope, logs, async (later) => keptLogs(await ownDevice(later), later.clock.now()));
  }

  /** Has a collection mailed at its time, unless a log of the same collection asked for that already. */
  async #collect(scope: DeviceScope): Promise<void> {
    const { from, mailedAt } = nextDigest(scope.clock.now());
    const asked = await scope.first(logs, { where: { mail: 'digest', sent_at: null, updated_at: { gte: from } } });
    if (asked) return;
    const { deviceId } = scope;
    await this.#jobs.enqueue(
      scope.server,
      logDigestJob,
      { deviceId },
      { deviceId, runAt: mailedAt, maxAttempts: mailAttempts },
    );
  }
}

/** [reference 8.6] */
function mailOf(channels: readonly string[]): 'fatal' | 'digest' | null {
  if (channels.includes('fatal_email')) return 'fatal';
  return channels.some((name) => name.includes('email')) ? 'digest' : null;
}
