import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import { Failure } from '../../core/errors.ts';
import { FixedWindow } from '../../core/fixed-window.ts';
import type { Logger } from '../../core/logger.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import { devices } from '../../device/devices.ts';
import type { Body } from '../../engine/body.ts';
import { DeviceQueues } from './device-queues.ts';
import type { ThrottleNotices } from './log-throttle.ts';
import { beginPause, endPause, throttledUntil } from './log-throttle.ts';
import type { Excess } from './message-counts.ts';
import { logLimits, MessageCounts, telemetryLimits } from './message-counts.ts';
import { isKeptLog, readMessage, telemetryOf } from './robot-message.ts';

/** The channels that the server reads. */
export type IngestedChannel = 'logs' | 'telemetry';

/** Where messages of one channel are kept. */
export interface MessageStore {
  /** What is to be stored of a message; without a database. Throws 422 for one that is not right. */
  read(body: Body): Body;
  /** Stores what {@link read} gave, in this order, inside a transaction. */
  storeAll(scope: DeviceScope, messages: readonly Body[]): Promise<void>;
}

export interface IngestionOptions extends ThrottleNotices {
  readonly server: () => ServerScope;
  readonly logs: MessageStore;
  readonly telemetries: MessageStore;
  /** Transactions of devices that run at once: many where they share a commit, few where each holds a connection. */
  readonly maxConcurrentDevices: number;
  /** Off: messages are not counted against the device. */
  readonly limitsRates: boolean;
  /** Notes that a device is connected; cheap, as each message is noted. */
  readonly onConnect?: ((deviceId: number) => void) | undefined;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** What happens with a message of a device when its turn has come. */
type Message =
  | { readonly kind: 'log'; readonly at: number; readonly values: Body }
  | { readonly kind: 'telemetry'; readonly values: Body }
  | { readonly kind: 'excess'; readonly at: number; readonly excess: Excess };

/** What became of messages. */
interface Outcome {
  readonly logs: number;
  readonly telemetries: number;
  /** Logs of a device that is throttled. */
  readonly throttled: number;
  /** Until when the device is throttled now, in ms. */
  readonly until: number | null;
}

/** Devices whose pause is remembered, so that what is thrown away costs no transaction. */
const rememberedPauses = 20_000;
/** Lines in the server's log about messages that were dropped, each second at most. */
const linesPerSecond = 3;
/** How long a stop waits for the database, in ms. */
const patience = 10_000;

const counterOf = { logs: 'logs_dropped', telemetry: 'telemetries_dropped' } as const;

/** Takes what robots send on the broker into the tables. [reference 13] */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #counts = { logs: new MessageCounts(logLimits), telemetry: new MessageCounts(telemetryLimits) };
  readonly #queues: DeviceQueues<Message>;
  readonly #pauses = new LRUCache<number, number>({ max: rememberedPauses });
  readonly #lines = new FixedWindow(linesPerSecond, 1000);
  #isStopping = false;

  constructor(options: IngestionOptions) {
    this.#options = options;
    this.#queues = new DeviceQueues(
      (deviceId, messages) => this.#store(deviceId, messages),
      options.maxConcurrentDevices,
    );
  }

  /** Takes a message of a device. Resolves when it is stored, or dropped for good. Rejects (503) only when the database is away or the server stops: then it is to come again. */
  async take(channel: IngestedChannel, deviceId: number, payload: Buffer): Promise<void> {
    if (this.#isStopping) throw new Failure('unavailable');
    const { clock, limitsRates, onConnect } = this.#options;
    onConnect?.(deviceId);
    const at = clock.now();
    // Every message counts, also one that is dropped for another reason. [reference 13.1]
    const excess = limitsRates ? this.#counts[channel].count(deviceId, at) : null;
    const message =
      channel === 'logs' ? this.#log(deviceId, payload, at, excess) : this.#telemetry(deviceId, payload, excess);
    if (!message) return;
    const stored = this.#queues.put(deviceId, payload.length, message);
    if (!stored) return this.#drop(channel, 'queue_full', deviceId);
    try {
      await stored;
    } catch (error) {
      if (limitsRates) this.#counts[channel].takeBack(deviceId, at);
      throw error;
    }
  }

  /** Takes no more and stores what was taken; what has not had its turn after 10 s is refused. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#queues.refuseAll(new Failure('unavailable')), patience);
    await this.#queues.drained();
    clearTimeout(timer);
  }

  #log(deviceId: number, payload: Buffer, at: number, excess: Excess | null): Message | null {
    const body = readMessage(payload);
    if (typeof body === 'string') return this.#dropped('logs', body, deviceId);
    if (!isKeptLog(body)) return this.#dropped('logs', 'kind');
    if (excess)
      return (this.#pauses.get(deviceId) ?? 0) < excess.until
        ? { kind: 'excess', at, excess }
        : this.#dropped('logs', 'throttled');
    const values = this.#read('logs', deviceId, body);
    return values && { kind: 'log', at, values };
  }

  #telemetry(deviceId: number, payload: Buffer, excess: Excess | null): Message | null {
    if (excess) return this.#dropped('telemetry', 'throttled');
    const message = readMessage(payload);
    if (typeof message === 'string') return this.#dropped('telemetry', message, deviceId);
    const body = telemetryOf(message);
    if (!body) return this.#dropped('telemetry', 'kind');
    const values = this.#read('telemetry', deviceId, body);
    return values && { kind: 'telemetry', values };
  }

  #read(channel: IngestedChannel, deviceId: number, body: Body): Body | null {
    const { logs, telemetries } = this.#options;
    try {
      return (channel === 'logs' ? logs : telemetries).read(body);
    } catch (error) {
      const isWrong = error instanceof Failure && error.status === 422;
      return this.#dropped(channel, isWrong ? 'invalid' : 'failed', deviceId, isWrong ? undefined : error);
    }
  }

  /** Stores a batch of one device. Rejects only when the database is away. */
  async #store(deviceId: number, messages: readonly Message[]): Promise<void> {
    const device = this.#options.server().device(deviceId);
    try {
      const outcome = await device.transaction((scope) => this.#storeTogether(scope, messages));
      if (outcome) this.#note(deviceId, outcome);
      else for (const message of messages) this.#drop(channelOf(message), 'no_device', deviceId);
      return;
    } catch (error) {
      if (isAway(error)) throw this.#told(deviceId, error);
    }
    // One of them cannot be stored though it reads well: the others are not to go with it.
    const outcomes: Outcome[] = [];
    const failures: (() => void)[] = [];
    try {
      await device.transaction(async (scope) => {
        for (const message of messages) {
          try {
            const outcome = await scope.transaction((inner) => this.#storeTogether(inner, [message]));
            if (outcome) outcomes.push(outcome);
          } catch (error) {
            if (isAway(error)) throw error;
            failures.push(() => this.#drop(channelOf(message), 'failed', deviceId, error));
          }
        }
      });
    } catch (error) {
      if (isAway(error)) throw this.#told(deviceId, error);
      for (const message of messages) this.#drop(channelOf(message), 'failed', deviceId, error);
      return;
    }
    for (const outcome of outcomes) this.#note(deviceId, outcome);
    for (const fail of failures) fail();
  }

  /** Null: there is no such device. */
  async #storeTogether(scope: DeviceScope, messages: readonly Message[]): Promise<Outcome | null> {
    const { limitsRates, logs, telemetries } = this.#options;
    let [until] = await scope.select(devices, throttledUntil);
    if (until === undefined) return null;
    const measured: Body[] = [];
    let waiting: Body[] = [];
    let stored = 0;
    let throttled = 0;
    // Notices take their place among the logs.
    const flush = async () => {
      if (waiting.length > 0) await logs.storeAll(scope, waiting);
      stored += waiting.length;
      waiting = [];
    };
    for (const message of messages) {
      if (message.kind === 'telemetry') measured.push(message.values);
      else if (message.kind === 'excess') {
        throttled++;
        if (until !== null && until >= message.excess.until) continue;
        await flush();
        await beginPause(scope, message.excess, message.at, this.#options);
        until = message.excess.until;
      } else if (until !== null && limitsRates && message.at < until) {
        // Begun by another process, or before this one started.
        throttled++;
      } else {
        if (until !== null) {
          await flush();
          await endPause(scope, this.#options);
          until = null;
        }
        waiting.push(message.values);
      }
    }
    await flush();
    if (measured.length > 0) await telemetries.storeAll(scope, measured);
    return { logs: stored, telemetries: measured.length, throttled, until };
  }

  #note(deviceId: number, { logs, telemetries, throttled, until }: Outcome): void {
    const { counters } = this.#options;
    if (until === null) this.#pauses.delete(deviceId);
    else this.#pauses.set(deviceId, until);
    if (logs > 0) counters.add('logs_taken', '', logs);
    if (telemetries > 0) counters.add('telemetries_taken', '', telemetries);
    if (throttled > 0) counters.add('logs_dropped', 'throttled', throttled);
  }

  /** Drops a message without a line in the log, unless the device is named. */
  #dropped(channel: IngestedChannel, reason: string, deviceId?: number, error?: unknown): null {
    if (deviceId === undefined) this.#options.counters.add(counterOf[channel], reason);
    else this.#drop(channel, reason, deviceId, error);
    return null;
  }

  #drop(channel: IngestedChannel, reason: string, deviceId: number, error?: unknown): void {
    const { clock, counters, log } = this.#options;
    counters.add(counterOf[channel], reason);
    if (!this.#lines.consume('', clock.now())) return;
    const about = { device: deviceId, channel, reason };
    if (error === undefined) log.warn(about, 'a message of a robot was dropped');
    else log.error({ ...about, error: String(error) }, 'a message of a robot could not be stored');
  }

  #told(deviceId: number, error: unknown): unknown {
    const { clock, log } = this.#options;
    if (this.#lines.consume('', clock.now()))
      log.warn({ device: deviceId, reason: String(error) }, 'messages of a robot must wait for the database');
    return error;
  }
}

const isAway = (error: unknown): boolean => error instanceof Failure && error.code === 'unavailable';

const channelOf = ({ kind }: Message): IngestedChannel => (kind === 'telemetry' ? 'telemetry' : 'logs');
