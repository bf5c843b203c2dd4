import type { AsyncMessage, Channel } from 'rabbitmq-client';
import { Connection } from 'rabbitmq-client';
import type { RabbitMqAddress } from './rabbitmq-address.ts';

/** The exchange that RabbitMQ's MQTT plug-in uses. [reference 12.1] */
export const exchange = 'amq.topic';
/** Marks the server's own messages, so that it does not read them again. */
export const ownMessages = 'potager';
/** Between signs of life, in seconds. [reference 12.5] */
const heartbeat = 10;
/** The longest that connecting may take, in ms. */
const connectPatience = 10_000;
/** The longest that RabbitMQ may take to confirm a message, in ms. Then the connection counts as dead. */
const confirmPatience = 10_000;
/** How often it is looked whether a message waits for longer than that, in ms. */
const watchInterval = 1000;
/** The longest that a farewell may take, in ms. */
const farewellPatience = 2000;
/** Bytes of an AMQP frame; RabbitMQ's own limit. */
const frame = 131_072;

/** A queue of the server's, whose messages are read. */
export interface Source {
  readonly queue: string;
  /** The keys that go into it. */
  readonly routingKey: string;
  /** Unacknowledged messages that RabbitMQ may hand out at once. */
  readonly prefetch: number;
  /** Says what becomes of a message: `done` removes it, `again` puts it back. Must not reject. */
  take(message: AsyncMessage): Promise<'done' | 'again'>;
}

interface InFlight {
  /** Of `performance.now()`. */
  readonly since: number;
  readonly fail: (error: Error) => void;
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** One connection to RabbitMQ, from its beginning to its end; whatever fails in it ends it as a whole. */
export class RabbitMqLink {
  /** Resolves with the reason when the connection is gone. */
  readonly lost: Promise<Error>;
  readonly #connection: Connection;
  readonly #inFlight = new Set<InFlight>();
  readonly #taking = new Set<Promise<void>>();
  readonly #tags: string[] = [];
  #lose: (reason: Error) => void = () => undefined;
  #publisher: Channel | null = null;
  #consumer: Channel | null = null;
  #watch: NodeJS.Timeout | undefined;
  #blocked: string | null = null;
  #isLeaving = false;
  #isLost = false;

  private constructor(connection: Connection) {
    this.#connection = connection;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /** Connects, declares the queues and begins to read them. Rejects when anything of it fails, or when `signal` ends it. */
  static async open(address: RabbitMqAddress, sources: readonly Source[], signal: AbortSignal): Promise<RabbitMqLink> {
    const link = new RabbitMqLink(
      new Connection({
        hostname: address.host,
        port: address.port,
        username: address.username,
        password: address.password,
        vhost: address.vhost,
        tls: address.tls,
        heartbeat,
        connectionTimeout: connectPatience,
        acquireTimeout: connectPatience,
        frameMax: frame,
        noDelay: true,
        connectionName: 'potager',
      }),
    );
    const abort = (): void => link.drop(new Error('stopped'));
    signal.addEventListener('abort', abort);
    try {
      const failed = link.lost.then((reason): never => {
        throw reason;
      });
      await Promise.race([link.#setUp(sources), failed]);
    } catch (error) {
      link.drop(errorOf(error));
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return link;
  }

  async #setUp(sources: readonly Source[]): Promise<void> {
    const connection = this.#connection;
    // The library would connect again by itself; here a connection that is lost stays lost.
    connection.on('error', (error) => this.drop(errorOf(error)));
    connection.on('connection.blocked', (reason) => {
      this.#blocked = reason;
    });
    connection.on('connection.unblocked', () => {
      this.#blocked = null;
    });
    this.#publisher = await this.#channel();
    await this.#publisher.confirmSelect();
    this.#watch = setInterval(() => this.#endIfDead(), watchInterval).unref();
    if (sources.length === 0) return;
    const consumer = await this.#channel();
    this.#consumer = consumer;
    consumer.on('basic.cancel', (_tag, error) => this.drop(errorOf(error)));
    for (const { queue, routingKey, prefetch, take } of sources) {
      await consumer.queueDeclare({ queue, durable: true });
      await consumer.queueBind({ queue, exchange, routingKey });
      await consumer.basicQos({ prefetchCount: prefetch });
      const { consumerTag } = await consumer.basicConsume({ queue }, (message) => this.#take(consumer, message, take));
      this.#tags.push(consumerTag);
    }
  }

  async #channel(): Promise<Channel> {
    const channel = await this.#connection.acquire({ emitErrorsFromChannel: true });
    channel.on('error', (error) => this.drop(errorOf(error)));
    // When the connection ends, its channels are told before it says why.
    channel.on('close', () => setImmediate(() => this.drop(new Error('a channel was closed'))));
    return channel;
  }

  /** Why RabbitMQ takes no messages at present (an alarm for memory or disk); null: it takes them. */
  get blocked(): string | null {
    return this.#blocked;
  }

  /** Resolves when RabbitMQ has confirmed the message. Rejects when the connection ends before. */
  publish(routingKey: string, payload: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const publisher = this.#publisher;
      if (this.#isLost || !publisher) {
        reject(new Error('the connection is gone'));
        return;
      }
      const one: InFlight = { since: performance.now(), fail: reject };
      this.#inFlight.add(one);
      publisher
        .basicPublish({ exchange, routingKey, durable: false, appId: ownMessages }, payload)
        .then(resolve, reject)
        .finally(() => this.#inFlight.delete(one));
    });
  }

  #endIfDead(): void {
    const [oldest] = this.#inFlight;
    if (!oldest || this.#blocked !== null || performance.now() - oldest.since < confirmPatience) return;
    this.drop(Object.assign(new Error('a message was not confirmed'), { code: 'NO_CONFIRM' }));
  }

  #take(channel: Channel, message: AsyncMessage, take: Source['take']): void {
    const taken = take(message).then((what) => {
      // What cannot be acknowledged, because the connection is gone, comes again.
      if (!channel.active) return;
      if (what === 'done') channel.basicAck({ deliveryTag: message.deliveryTag });
      else channel.basicNack({ deliveryTag: message.deliveryTag, requeue: true });
    });
    this.#taking.add(taken);
    taken.then(() => this.#taking.delete(taken));
  }

  /** Ends the connection at once. What is not confirmed is rejected, what is not acknowledged comes again. */
  drop(reason: Error): void {
    if (!this.#isLeaving) this.#end(reason);
  }

  #end(reason: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#watch);
    this.#connection.unsafeDestroy();
    // The library leaves some promises open when a channel ends while a message is being written.
    for (const { fail } of this.#inFlight) fail(reason);
    this.#inFlight.clear();
    this.#lose(reason);
  }

  /** Reads no further, lets what was read be stored and acknowledged, and ends the connection. */
  async close(): Promise<void> {
    this.#isLeaving = true;
    const farewell = async (): Promise<void> => {
      for (const consumerTag of this.#tags) await this.#consumer?.basicCancel({ consumerTag });
      await Promise.all(this.#taking);
      await this.#consumer?.close();
      await this.#publisher?.close();
      await this.#connection.close();
    };
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellPatience);
    });
    await Promise.race([farewell().catch(() => undefined), patience]);
    clearTimeout(timer);
    this.#end(new Error('closed'));
  }
}
