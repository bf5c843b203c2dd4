import { LRUCache } from 'lru-cache';
import { maxEntries } from '../../core/cache-limits.ts';
import { robotActor } from '../../core/changes.ts';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import { Failure } from '../../core/errors.ts';
import { FixedWindow } from '../../core/fixed-window.ts';
import type { Logger } from '../../core/logger.ts';
import { isUnavailable } from '../../core/outage.ts';
import { SerializationFailure } from '../../db/errors.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import { devices } from '../../device/devices.ts';
import type { Body } from '../../engine/body.ts';
import type { GetRepetition, Repetition } from '../broker.ts';
import type { IngestedChannel } from '../topics.ts';
import { DeviceQueues } from './device-queues.ts';
import type { ThrottleOptions } from './log-throttle.ts';
import { endThrottle, startThrottle, throttledUntil } from './log-throttle.ts';
import type { ExceededLimit } from './message-limits.ts';
import { importantLogLimits, logLimits, MessageLimiter, telemetryLimits } from './message-limits.ts';
import { isStorableLog, parseMessage, telemetryOf, withTime } from './robot-message.ts';

/** Stores the messages of one channel. */
export interface MessageStore {
  /** Returns the values to be stored. Throws 422. */
  read(body: Body): Body;
  /** Stores values of {@link read} in order, inside a transaction. */
  storeAll(scope: DeviceScope, messages: readonly Body[]): Promise<void>;
}

interface LogMessageStore extends MessageStore {
  /** Returns whether the same log was stored before: with the time that the robot sent, or else lately if `isLikely`. */
  isStored(scope: DeviceScope, message: Body, isLikely: boolean): Promise<boolean>;
  /** Returns whether a throttle spares a log, parsed or not. */
  isImportant(message: Body): boolean;
}

export interface IngestionOptions extends ThrottleOptions {
  readonly server: () => ServerScope;
  readonly logs: LogMessageStore;
  readonly telemetries: MessageStore;
  /** Concurrent transactions: many where they share a commit, few where each holds a connection. */
  readonly maxConcurrentDevices: number;
  /** Whether a device's messages are limited. */
  readonly limitsRates: boolean;
  /** Called for each message of a device; must be cheap. */
  readonly onConnect?: ((deviceId: number) => void) | undefined;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** A queued log. */
interface LogMessage {
  readonly kind: 'log';
  readonly at: number;
  readonly values: Body;
  readonly repetition: GetRepetition | undefined;
  /** The limit that it exceeds. */
  readonly exceeded: ExceededLimit | null;
  /** Whether it is stored while the device is throttled; undefined until that is asked. */
  isSpared: boolean | undefined;
}

/** A queued message. `excess`: a log that is not stored. */
type Message =
  | LogMessage
  | { readonly kind: 'telemetry'; readonly values: Body }
  | { readonly kind: 'excess'; readonly at: number; readonly exceeded: ExceededLimit };

/** The result of a batch. */
interface Outcome {
  readonly logs: number;
  readonly telemetries: number;
  /** Logs that were dropped because the device is throttled. */
  readonly throttled: number;
  /** End of the device's throttle, in ms since the epoch. */
  readonly until: number | null;
}

/** Devices whose throttle is cached, so that dropping their logs needs no transaction. */
const maxCachedThrottles = 20_000;
/** Log lines about dropped messages per second. */
const maxLogLinesPerSecond = 3;
/** Milliseconds that a stop waits for the database. */
const stopTimeout = 10_000;

const droppedCounters = { logs: 'logs_dropped', telemetry: 'telemetries_dropped' } as const;

/** Stores messages of robots on the ingested channels. [rule M19, M22] */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #limiters = { logs: new MessageLimiter(logLimits), telemetry: new MessageLimiter(telemetryLimits) };
  readonly #spared = new MessageLimiter(importantLogLimits);
  readonly #queues: DeviceQueues<Message>;
  readonly #throttles = new LRUCache<number, number>(maxEntries(maxCachedThrottles));
  readonly #logLines = new FixedWindow(maxLogLinesPerSecond, 1000);
  #isStopping = false;

  constructor(options: IngestionOptions) {
    this.#options = options;
    this.#queues = new DeviceQueues(
      (deviceId, messages) => this.#store(deviceId, messages),
      options.maxConcurrentDevices,
    );
  }

  /** Handles a message of a device. Resolves when it is stored or discarded. Rejects (503) when the database is unavailable or the server stops: the message must be sent again. */
  async take(channel: IngestedChannel, deviceId: number, payload: Buffer, repetition?: GetRepetition): Promise<void> {
    if (this.#isStopping) throw new Failure('unavailable');
    const { clock, limitsRates, onConnect } = this.#options;
    onConnect?.(deviceId);
    const at = clock.now();
    // Every message counts, including dropped ones. [rule M19]
    const exceeded = limitsRates ? this.#limiters[channel].count(deviceId, at) : null;
    const message =
      channel === 'logs'
        ? this.#parseLog(deviceId, payload, at, exceeded, repetition)
        : this.#parseTelemetry(deviceId, payload, exceeded);
    if (!message) return;
    const stored = this.#queues.push(deviceId, payload.length, message);
    if (!stored) return this.#drop(channel, 'queue_full', deviceId);
    try {
      await stored;
    } catch (error) {
      if (limitsRates) this.#limiters[channel].revert(deviceId, at);
      if (message.kind === 'log' && message.isSpared) this.#spared.revert(deviceId, at);
      throw error;
    }
  }

  /** Takes no further messages and stores the queued ones; the rest is rejected after 10 s. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#queues.rejectAll(new Failure('unavailable')), stopTimeout);
    await this.#queues.drained();
    clearTimeout(timer);
  }

  #parseLog(
    deviceId: number,
    payload: Buffer,
    at: number,
    exceeded: ExceededLimit | null,
    repetition: GetRepetition | undefined,
  ): Message | null {
    const body = parseMessage(payload);
    if (typeof body === 'string') return this.#dropped('logs', body, deviceId);
    if (!isStorableLog(body)) return this.#dropped('logs', 'kind');
    const isSpared = exceeded ? this.#isSpared(deviceId, body, at) : undefined;
    if (exceeded && !isSpared)
      return (this.#throttles.get(deviceId) ?? 0) < exceeded.until
        ? { kind: 'excess', at, exceeded }
        : this.#dropped('logs', 'throttled');
    const values = this.#read('logs', deviceId, withTime(body));
    return values && { kind: 'log', at, values, repetition, exceeded, isSpared };
  }

  /** Returns whether a log is stored while its device is throttled; counts it. [rule M19] */
  #isSpared(deviceId: number, log: Body, at: number): boolean {
    return this.#options.logs.isImportant(log) && this.#spared.count(deviceId, at) === null;
  }

  #parseTelemetry(deviceId: number, payload: Buffer, exceeded: ExceededLimit | null): Message | null {
    if (exceeded) return this.#dropped('telemetry', 'throttled');
    const message = parseMessage(payload);
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
      const isInvalid = error instanceof Failure && error.status === 422;
      return this.#dropped(channel, isInvalid ? 'invalid' : 'failed', deviceId, isInvalid ? undefined : error);
    }
  }

  /** Stores a batch of one device. Rejects only when the database is unavailable. */
  async #store(deviceId: number, messages: readonly Message[]): Promise<void> {
    const device = this.#options.server().device(deviceId, { actor: robotActor });
    try {
      const outcome = await device.transaction((scope) => this.#storeBatch(scope, messages));
      if (outcome) this.#record(deviceId, outcome);
      else for (const message of messages) this.#drop(channelOf(message), 'no_device', deviceId);
      return;
    } catch (error) {
      if (isUnavailable(error)) throw this.#logged(deviceId, error);
    }
    // A message that cannot be stored must not take the others with it.
    let outcomes: Outcome[] = [];
    let failures: (() => void)[] = [];
    try {
      await device.transaction(async (scope) => {
        // It may be repeated.
        outcomes = [];
        failures = [];
        for (const message of messages) {
          try {
            const outcome = await scope.transaction((inner) => this.#storeBatch(inner, [message], 'possible'));
            if (outcome) outcomes.push(outcome);
          } catch (error) {
            if (isUnavailable(error) || error instanceof SerializationFailure) throw error;
            failures.push(() => this.#drop(channelOf(message), 'failed', deviceId, error));
          }
        }
      });
    } catch (error) {
      if (isUnavailable(error)) throw this.#logged(deviceId, error);
      for (const message of messages) this.#drop(channelOf(message), 'failed', deviceId, error);
      return;
    }
    for (const outcome of outcomes) this.#record(deviceId, outcome);
    for (const fail of failures) fail();
  }

  /** Returns null when the device does not exist. `attempt`: whether an earlier attempt may have stored them: the error of a commit does not show that. */
  async #storeBatch(scope: DeviceScope, messages: readonly Message[], attempt?: Repetition): Promise<Outcome | null> {
    const { limitsRates, logs, telemetries } = this.#options;
    let [until] = await scope.select(devices, throttledUntil);
    if (until === undefined) return null;
    const telemetryValues: Body[] = [];
    let logValues: Body[] = [];
    let stored = 0;
    let throttled = 0;
    // Logs are stored before a notice, to keep the order.
    const flush = async () => {
      if (logValues.length > 0) await logs.storeAll(scope, logValues);
      stored += logValues.length;
      logValues = [];
    };
    for (const message of messages) {
      if (message.kind === 'telemetry') {
        telemetryValues.push(message.values);
        continue;
      }
      const { at, exceeded } = message;
      if (exceeded && (until === null || until < exceeded.until)) {
        await flush();
        await startThrottle(scope, exceeded, at, this.#options);
        until = exceeded.until;
      }
      // By another process, or before this one started, if the log exceeds no limit.
      const isThrottled = until !== null && limitsRates && at < until;
      if (message.kind === 'log' && isThrottled)
        message.isSpared ??= this.#isSpared(scope.deviceId, message.values, at);
      if (message.kind === 'excess' || (isThrottled && !message.isSpared)) {
        throttled++;
        continue;
      }
      if (until !== null && !isThrottled) {
        await flush();
        await endThrottle(scope, this.#options);
        until = null;
      }
      const repetition = message.repetition?.() ?? attempt;
      if (repetition) await flush();
      if (!(await this.#isStored(scope, message.values, repetition))) logValues.push(message.values);
    }
    await flush();
    if (telemetryValues.length > 0) await telemetries.storeAll(scope, telemetryValues);
    return { logs: stored, telemetries: telemetryValues.length, throttled, until };
  }

  /** Whether an earlier attempt has stored a log; false if there was none. */
  async #isStored(scope: DeviceScope, values: Body, repetition: Repetition | null | undefined): Promise<boolean> {
    return repetition ? this.#options.logs.isStored(scope, values, repetition === 'likely') : false;
  }

  #record(deviceId: number, { logs, telemetries, throttled, until }: Outcome): void {
    const { counters } = this.#options;
    if (until === null) this.#throttles.delete(deviceId);
    else this.#throttles.set(deviceId, until);
    if (logs > 0) counters.add('logs_taken', '', logs);
    if (telemetries > 0) counters.add('telemetries_taken', '', telemetries);
    if (throttled > 0) counters.add('logs_dropped', 'throttled', throttled);
  }

  /** Counts a dropped message, and logs it if the device is given. Returns null. */
  #dropped(channel: IngestedChannel, reason: string, deviceId?: number, error?: unknown): null {
    if (deviceId === undefined) this.#options.counters.add(droppedCounters[channel], reason);
    else this.#drop(channel, reason, deviceId, error);
    return null;
  }

  #drop(channel: IngestedChannel, reason: string, deviceId: number, error?: unknown): void {
    const { clock, counters, log } = this.#options;
    counters.add(droppedCounters[channel], reason);
    if (!this.#logLines.consume('', clock.now())) return;
    const details = { device: deviceId, channel, reason };
    if (error === undefined) log.warn(details, 'a message of a robot was dropped');
    else log.error({ ...details, error: String(error) }, 'a message of a robot could not be stored');
  }

  #logged(deviceId: number, error: unknown): unknown {
    const { clock, log } = this.#options;
    if (this.#logLines.consume('', clock.now()))
      log.warn({ device: deviceId, reason: String(error) }, 'messages of a robot could not be stored at the moment');
    return error;
  }
}

const channelOf = ({ kind }: Message): IngestedChannel => (kind === 'telemetry' ? 'telemetry' : 'logs');
