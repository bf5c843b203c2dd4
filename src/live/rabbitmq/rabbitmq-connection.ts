import type { AsyncMessage, Channel } from 'rabbitmq-client';
import { Connection } from 'rabbitmq-client';
import { onLateError } from '../../core/library-errors.ts';
import type { GetRepetition, Repetition } from '../broker.ts';
import type { RabbitMqAddress } from './rabbitmq-address.ts';

/** The exchange of RabbitMQ's MQTT plugin. [rule M16] */
export const exchange = 'amq.topic';
/** Application id of the server's own messages, which it does not consume. */
export const appId = 'potager';
/** Seconds between heartbeats. [rule M17] */
const heartbeat = 10;
/** Maximum duration of connecting, in ms. */
const connectTimeout = 10_000;
/** Default of the maximum time until RabbitMQ confirms a message, in ms. Then the connection is considered dead. */
const defaultConfirmTimeout = 10_000;
/** Milliseconds between checks for it. */
const confirmCheckInterval = 1000;
/** Maximum duration of an orderly close, in ms. */
const closeTimeout = 2000;
/** How long after a connection was started robots may repeat unacknowledged messages, in ms. */
const resendTime = 60_000;
/** Maximum size of an AMQP frame, in bytes; RabbitMQ's own limit. */
const maxFrameSize = 131_072;

/** A queue that the server consumes. */
export interface ConsumedQueue {
  /** A durable queue that all processes share; null: one of this connection, whose messages are not acknowledged. */
  readonly queue: string | null;
  /** Bindings of the queue. */
  readonly routingKeys: readonly string[];
  /** Maximum number of unacknowledged messages. */
  readonly prefetch: number;
  /** Handles a message: `ack` removes it, `requeue` puts it back. Must not reject. */
  handle(message: AsyncMessage, repetition: GetRepetition): Promise<'ack' | 'requeue'>;
}

interface Unconfirmed {
  /** Of `performance.now()`. */
  readonly sentAt: number;
  readonly fail: (error: Error) => void;
}

/** Limits of the connection's own queue: its messages are of use for seconds. `x-message-ttl` in ms. */
const ownQueueLimits = { 'x-max-length': 10_000, 'x-message-ttl': 10_000 };

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** One connection to RabbitMQ. Any failure closes it as a whole, and it does not reconnect. */
export class RabbitMqConnection {
  /** Resolves with the reason when the connection is lost. */
  readonly lost: Promise<Error>;
  /** When it began to connect, of `performance.now()`. Messages that robots repeated while no process was connected arrive before it is open. */
  readonly #startedAt = performance.now();
  readonly #connection: Connection;
  readonly #unconfirmed = new Set<Unconfirmed>();
  readonly #handling = new Set<Promise<void>>();
  readonly #consumerTags: string[] = [];
  readonly #confirmTimeout: number;
  #resolveLost: (reason: Error) => void = () => undefined;
  #publisher: Channel | null = null;
  #consumer: Channel | null = null;
  #confirmCheck: NodeJS.Timeout | undefined;
  #blocked: string | null = null;
  #isClosing = false;
  #isLost = false;
  readonly #endLateErrors = onLateError('rabbitmq-client', (error) => this.drop(errorOf(error)));

  private constructor(connection: Connection, confirmTimeout: number) {
    this.#connection = connection;
    this.#confirmTimeout = confirmTimeout;
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve;
    });
  }

  /** Connects, declares the queues and starts to consume them. Rejects when any of it fails, or is aborted by `signal`. */
  static async open(
    address: RabbitMqAddress,
    queues: readonly ConsumedQueue[],
    signal: AbortSignal,
    confirmTimeout = defaultConfirmTimeout,
  ): Promise<RabbitMqConnection> {
    const opened = new RabbitMqConnection(
      new Connection({
        hostname: address.host,
        port: address.port,
        username: address.username,
        password: address.password,
        vhost: address.vhost,
        tls: address.tls,
        heartbeat,
        connectionTimeout: connectTimeout,
        acquireTimeout: connectTimeout,
        frameMax: maxFrameSize,
        noDelay: true,
        connectionName: 'potager',
      }),
      confirmTimeout,
    );
    const abort = (): void => opened.drop(new Error('aborted'));
    signal.addEventListener('abort', abort);
    try {
      const failed = opened.lost.then((reason): never => {
        throw reason;
      });
      await Promise.race([opened.#setUp(queues), failed]);
    } catch (error) {
      opened.drop(errorOf(error));
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return opened;
  }

  async #setUp(queues: readonly ConsumedQueue[]): Promise<void> {
    const connection = this.#connection;
    // The library would reconnect by itself.
    connection.on('error', (error) => this.drop(errorOf(error)));
    connection.on('connection.blocked', (reason) => {
      this.#blocked = reason;
    });
    connection.on('connection.unblocked', () => {
      this.#blocked = null;
    });
    this.#publisher = await this.#openChannel();
    await this.#publisher.confirmSelect();
    this.#confirmCheck = setInterval(() => this.#checkConfirms(), confirmCheckInterval).unref();
    if (queues.length === 0) return;
    const consumer = await this.#openChannel();
    this.#consumer = consumer;
    consumer.on('basic.cancel', (_tag, error) => this.drop(errorOf(error)));
    for (const { queue: name, routingKeys, prefetch, handle } of queues) {
      const isOwn = name === null;
      const { queue } = await consumer.queueDeclare(
        isOwn ? { exclusive: true, autoDelete: true, arguments: ownQueueLimits } : { queue: name, durable: true },
      );
      for (const routingKey of routingKeys) await consumer.queueBind({ queue, exchange, routingKey });
      await consumer.basicQos({ prefetchCount: prefetch });
      const { consumerTag } = await consumer.basicConsume({ queue, noAck: isOwn }, (message) =>
        isOwn ? void handle(message, () => undefined) : this.#handle(consumer, message, handle),
      );
      this.#consumerTags.push(consumerTag);
    }
  }

  async #openChannel(): Promise<Channel> {
    const channel = await this.#connection.acquire({ emitErrorsFromChannel: true });
    channel.on('error', (error) => this.drop(errorOf(error)));
    // A lost connection closes its channels before it reports the reason.
    channel.on('close', () => setImmediate(() => this.drop(new Error('a channel was closed'))));
    return channel;
  }

  /** The reason why RabbitMQ accepts no messages at the moment (a memory or disk alarm); null: it accepts them. */
  get blocked(): string | null {
    return this.#blocked;
  }

  /** Resolves when RabbitMQ has confirmed the message. Rejects when the connection is lost before. */
  publish(routingKey: string, payload: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const publisher = this.#publisher;
      if (this.#isLost || !publisher) {
        reject(new Error('the connection is lost'));
        return;
      }
      const entry: Unconfirmed = { sentAt: performance.now(), fail: reject };
      this.#unconfirmed.add(entry);
      publisher
        .basicPublish({ exchange, routingKey, durable: false, appId }, payload)
        .then(resolve, reject)
        .finally(() => this.#unconfirmed.delete(entry));
    });
  }

  #checkConfirms(): void {
    const [oldest] = this.#unconfirmed;
    if (!oldest || this.#blocked !== null || performance.now() - oldest.sentAt < this.#confirmTimeout) return;
    this.drop(Object.assign(new Error('a message was not confirmed'), { code: 'NO_CONFIRM' }));
  }

  /** On a closed channel nothing can be acknowledged: RabbitMQ delivers the message again, to any process. */
  #repetitionOf(channel: Channel, { redelivered }: AsyncMessage): Repetition | undefined {
    if (redelivered || !channel.active) return 'likely';
    return performance.now() - this.#startedAt < resendTime ? 'possible' : undefined;
  }

  #handle(channel: Channel, message: AsyncMessage, handle: ConsumedQueue['handle']): void {
    const handled = handle(message, () => this.#repetitionOf(channel, message)).then((result) => {
      if (!channel.active) return;
      if (result === 'ack') channel.basicAck({ deliveryTag: message.deliveryTag });
      else channel.basicNack({ deliveryTag: message.deliveryTag, requeue: true });
    });
    this.#handling.add(handled);
    handled.then(() => this.#handling.delete(handled));
  }

  /** Closes the connection immediately. Unconfirmed messages are rejected, unacknowledged ones delivered again. */
  drop(reason: Error): void {
    if (!this.#isClosing) this.#destroy(reason);
  }

  #destroy(reason: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#endLateErrors();
    clearInterval(this.#confirmCheck);
    this.#connection.unsafeDestroy();
    // The library leaves some promises pending when a channel closes during a write.
    for (const { fail } of this.#unconfirmed) fail(reason);
    this.#unconfirmed.clear();
    this.#resolveLost(reason);
  }

  /** Stops to consume, waits until the received messages are stored and acknowledged, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closeInOrder = async (): Promise<void> => {
      for (const consumerTag of this.#consumerTags) await this.#consumer?.basicCancel({ consumerTag });
      await Promise.all(this.#handling);
      await this.#consumer?.close();
      await this.#publisher?.close();
      await this.#connection.close();
    };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeout);
    });
    await Promise.race([closeInOrder().catch(() => undefined), timeout]);
    clearTimeout(timer);
    this.#destroy(new Error('closed'));
  }
}
