import type { AedesPublishPacket, Client, ConnectPacket, Subscription } from 'aedes';
import type { IConnackPacket, IDisconnectPacket, IPublishPacket, Packet } from 'mqtt-packet';
import type { Clock } from '../core/clock.ts';
import type { CloseReason } from './close-reasons.ts';
import type { MqttLimits } from './limits.ts';
import type { Mqtt5End } from './mqtt5-packets.ts';
import { encode, encodeRejection, reasonCodes, splitAnswers } from './mqtt5-packets.ts';
import type { PublishProperties } from './mqtt5-properties.ts';
import { areOfMessage, isNumber, isValidConnect } from './mqtt5-properties.ts';
import type { PacketNumbers, QueuedPacket } from './persistent-session.ts';
import type { Publish5Encoder } from './publish5-encoder.ts';
import type { Subscriptions } from './subscriptions.ts';
import { matching } from './subscriptions.ts';

/** A message as the library passes it on: with the properties of its publisher, and the time when it expires. */
export type Message5 = AedesPublishPacket & { properties?: PublishProperties; messageExpiry?: number };

/** The connection of a client. */
interface Connection {
  readonly filters: Subscriptions;
  hasCloseReason: boolean;
  /** Queues bytes in the client's version. */
  send(bytes: Buffer): void;
  /** Has bytes counted that wait. */
  reportQueue(): void;
  setDisconnectReason(reason: Mqtt5End): void;
  close(reason: CloseReason): void;
  terminate(reason: CloseReason): void;
  destroy(): unknown;
}

/** The store of its session. */
interface Store {
  queued(client: Client): readonly QueuedPacket[];
  usesId(client: Client, messageId: number): boolean;
  outgoingUpdate(client: Client, packet: Message5): unknown;
  outgoingClearMessageId(client: Client, packet: PacketNumbers): unknown;
  retainedAs(topic: string): Pick<Message5, 'properties' | 'messageExpiry'>;
  release(client: Client, messageId: number): void;
}

export interface Mqtt5Options {
  readonly client: Client;
  readonly connection: Connection;
  readonly persistence: Store;
  readonly limits: MqttLimits;
  /** Milliseconds that a session is kept at most. */
  readonly maxSessionExpiry: number;
  readonly clock: Clock;
  /** Whether a message may be delivered to a client that subscribed to it. */
  readonly authorizeForward: (client: Client, packet: AedesPublishPacket) => boolean;
  readonly encoder: Publish5Encoder;
}

const second = 1000;
const defaultReceiveMaximum = 0xffff;
const disconnectWithWill = 4;
/** Seconds that a property can have; more are left when the clock was set back. */
const maxMessageExpiry = 0xffff_ffff;
/** A rejected filter in MQTT 3.1.1. */
const failure = 0x80;
/** Values of the option "retain handling". */
const [ifNew, noRetained] = [1, 2] as const;
/** Of the 65,535 ids that a client's messages have. */
const maxHeld = 0x8000;

/**
 * What a client of MQTT 5 has that aedes, which speaks 3.1.1, does not know: the properties of its packets, reason codes, and
 * its limits. aedes handles its requests as those of 3.1.1, and its answers are translated. [ADR 111]
 */
export class Mqtt5Client {
  /** Whether an earlier session is deleted. */
  readonly isCleanStart: boolean;
  /** Milliseconds from the end of the connection to the will. */
  readonly willDelay: number;
  /** Bytes of packets that wait until the client has acknowledged earlier ones. */
  heldBytes = 0;
  /** Milliseconds that the session outlives its connection. */
  sessionExpiry: number;
  readonly #options: Mqtt5Options;
  readonly #clientId: string;
  readonly #requestedExpiry: number;
  readonly #receiveMaximum: number;
  readonly #maxPacketSize: number;
  /** Beginning of an answer that aedes writes in parts. */
  #answer: Buffer = Buffer.alloc(0);
  /** Codes of an answer, by the id of the request. */
  readonly #codes = new Map<number, (granted: Buffer) => number[]>();
  /** Subscriptions of the SUBSCRIBE that was answered last: aedes passes on its retained messages right after its answer. */
  #requested: ReadonlySet<Subscription> = new Set();
  /** Refused messages of the client that are not answered yet. */
  readonly #refused = new Set<number>();
  /** Ids of messages that the client has not acknowledged, sent or held. */
  readonly #ids = new Set<number>();
  #inFlight = 0;
  /** Packets that wait until the client has acknowledged earlier ones. */
  readonly #held: Buffer[] = [];
  #lastId = 0;
  #isOpen = false;

  constructor(connect: ConnectPacket, options: Mqtt5Options) {
    this.#options = options;
    this.#clientId = connect.clientId;
    const { sessionExpiryInterval = 0, receiveMaximum, maximumPacketSize } = connect.properties ?? {};
    this.#requestedExpiry = sessionExpiryInterval * second;
    this.isCleanStart = connect.clean === true;
    this.sessionExpiry = Math.min(this.#requestedExpiry, options.maxSessionExpiry);
    this.willDelay = (connect.will?.properties?.willDelayInterval ?? 0) * second;
    this.#receiveMaximum = receiveMaximum ?? defaultReceiveMaximum;
    this.#maxPacketSize = maximumPacketSize ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the CONNECT for aedes; null: the client was rejected. */
  accept(packet: ConnectPacket): ConnectPacket | null {
    const { connection } = this.#options;
    const { properties, will, ...connect } = packet;
    if (!isValidConnect(packet)) {
      connection.terminate('protocol');
      return null;
    }
    if (properties?.authenticationMethod !== undefined) {
      connection.hasCloseReason = true;
      connection.send(encodeRejection('method'));
      connection.destroy();
      return null;
    }
    const willProperties: PublishProperties & { willDelayInterval?: number } = { ...will?.properties };
    delete willProperties.willDelayInterval;
    return {
      ...connect,
      protocolVersion: 4,
      clean: this.isCleanStart && this.sessionExpiry === 0,
      ...(will && { will: { ...will, properties: willProperties } }),
    };
  }

  /** Returns a request for aedes; null: it is handled. */
  receive(packet: Packet): Packet | null {
    const { connection } = this.#options;
    switch (packet.cmd) {
      case 'connect':
        return this.#end('protocol');
      case 'publish':
        return this.#receiveMessage(packet);
      case 'subscribe': {
        if (packet.properties?.subscriptionIdentifier !== undefined) return this.#end('subscription_identifier');
        const topics = packet.subscriptions.map(({ topic }) => topic);
        for (const subscription of packet.subscriptions)
          if (subscription.rh === ifNew && connection.filters.has(subscription.topic)) subscription.rh = noRetained;
        const codeOf = (granted: number, topic: string): number => {
          if (granted <= 2) return granted;
          return topic.startsWith('$share/') ? reasonCodes.sharedSubscription : reasonCodes.notAuthorized;
        };
        // aedes answers filters that are repeated once.
        const distinct = [...new Set(topics)];
        const requested = new Set(packet.subscriptions);
        this.#codes.set(packet.messageId ?? 0, (granted) => {
          this.#requested = requested;
          return topics.map((topic) => codeOf(granted[distinct.indexOf(topic)] ?? failure, topic));
        });
        return packet;
      }
      case 'unsubscribe': {
        const codes = packet.unsubscriptions.map((filter) =>
          connection.filters.has(filter) ? 0 : reasonCodes.noSubscription,
        );
        this.#codes.set(packet.messageId ?? 0, () => codes);
        return packet;
      }
      case 'puback':
      case 'pubcomp':
        this.#acknowledged(packet.messageId ?? 0);
        return packet;
      case 'pubrec':
        if ((packet.reasonCode ?? 0) < 0x80) return packet;
        this.#acknowledged(packet.messageId ?? 0);
        return { cmd: 'puback', messageId: packet.messageId ?? 0 };
      case 'disconnect':
        return this.#receiveDisconnect(packet);
      case 'auth':
        return this.#end('unsupported_packet');
      default:
        return packet;
    }
  }

  #receiveMessage(packet: IPublishPacket): Packet | null {
    const { properties } = packet;
    if (properties?.topicAlias !== undefined) return this.#end('topic_alias');
    if (properties && !areOfMessage(properties)) return this.#end('protocol');
    // Copied: a slice would keep everything that arrived with it, as long as the message is stored.
    if (properties?.correlationData) properties.correlationData = Buffer.from(properties.correlationData);
    return packet;
  }

  #receiveDisconnect(packet: IDisconnectPacket): Packet | null {
    const { sessionExpiryInterval } = packet.properties ?? {};
    // A session that ends with its connection cannot be prolonged.
    if (isNumber(sessionExpiryInterval) && this.sessionExpiry > 0)
      this.sessionExpiry = Math.min(sessionExpiryInterval * second, this.#options.maxSessionExpiry);
    if (packet.reasonCode !== disconnectWithWill) return packet;
    const { client, connection } = this.#options;
    connection.hasCloseReason = true;
    client.close();
    return null;
  }

  /** Sends the messages that the client has not acknowledged in its session's earlier connections, and the following ones. */
  open(): void {
    const { client, persistence, authorizeForward } = this.#options;
    this.#isOpen = true;
    for (const packet of client.clean ? [] : persistence.queued(client)) {
      if (packet.cmd === 'pubrel') {
        this.#send(packet.messageId ?? 0, encode({ cmd: 'pubrel', messageId: packet.messageId ?? 0 }));
        continue;
      }
      const message = { ...packet, messageId: packet.messageId ?? this.#nextId() };
      persistence.outgoingUpdate(client, message);
      if (authorizeForward(client, message))
        this.publish({ ...message, retain: message.wasRetained === true && this.keepsRetain(message.topic) });
      else persistence.outgoingClearMessageId(client, message);
    }
  }

  /** Delivers a message with QoS 1 or 2. */
  deliver(packet: Message5, done: () => void): void {
    const { client, persistence, authorizeForward } = this.#options;
    const message = { ...packet };
    if (this.#isOpen && authorizeForward(client, message)) {
      if (message.qos > 0) {
        message.messageId = this.#nextId();
        if (!client.clean) persistence.outgoingUpdate(client, message);
      }
      this.publish(message);
    }
    done();
  }

  /** Sends a message, with the properties of its publisher. */
  publish(packet: Message5): void {
    if (!this.#isOpen) return;
    const { client, connection, persistence, clock, encoder } = this.#options;
    const { topic, payload, qos, retain, dup, messageId = 0 } = packet;
    // aedes makes another message of a retained one.
    const { properties, messageExpiry } = retain && !packet.brokerId ? persistence.retainedAs(topic) : packet;
    const expiresIn =
      messageExpiry === undefined
        ? undefined
        : Math.min(Math.ceil((messageExpiry - clock.now()) / second), maxMessageExpiry);
    const bytes = encoder.encode({ topic, payload, qos, retain, dup, messageId, properties, expiresIn });
    if (bytes === null || bytes.length > this.#maxPacketSize) {
      if (qos > 0 && !client.clean) persistence.outgoingClearMessageId(client, { messageId });
    } else if (qos === 0) connection.send(bytes);
    else this.#send(messageId, bytes);
  }

  /** Whether the client wants a retained message for the subscriptions that were answered last. [MQTT 5, 3.8.3.1] */
  wantsRetained(topic: string): boolean {
    return matching(this.#options.connection.filters, topic).some(
      (each) => this.#requested.has(each) && each.rh !== noRetained,
    );
  }

  /** Whether a message that was retained when it was published has the flag for this client. */
  keepsRetain(topic: string): boolean {
    return matching(this.#options.connection.filters, topic).some(({ rap }) => rap);
  }

  /** Has a message of the client, with QoS 1 or 2, acknowledged with a failure. */
  refuse(messageId: number): void {
    this.#refused.add(messageId);
  }

  /** Returns answers of aedes in the client's version. */
  translate(bytes: Buffer): Buffer[] {
    const { packets, rest } = splitAnswers(Buffer.concat([this.#answer, bytes]));
    this.#answer = rest;
    return packets.map((packet) => this.#translate(packet));
  }

  #translate(packet: Buffer): Buffer {
    const [type, granted] = [(packet[0] ?? 0) >> 4, packet.subarray(packet.length > 0x81 ? 5 : 4)];
    if (type === 2) return packet[3] === 0 ? this.#accepted(packet[2] === 1) : encodeRejection(packet[3] ?? 0);
    const messageId = packet.length < 4 ? 0 : packet.readUInt16BE(packet.length > 0x81 ? 3 : 2);
    if (type === 9 || type === 11) {
      const codes = this.#codes.get(messageId)?.(granted) ?? [...granted];
      this.#codes.delete(messageId);
      return encode({ cmd: type === 9 ? 'suback' : 'unsuback', messageId, granted: codes });
    }
    if ((type === 4 || type === 5) && this.#refused.delete(messageId)) {
      if (type === 5) this.#options.persistence.release(this.#options.client, messageId);
      return encode({ cmd: type === 4 ? 'puback' : 'pubrec', messageId, reasonCode: reasonCodes.notAuthorized });
    }
    // Without a reason code they are the same in both versions.
    return packet;
  }

  #accepted(sessionPresent: boolean): Buffer {
    const { client, limits } = this.#options;
    const assigned = client.id.slice(client.id.indexOf('/') + 1);
    if (client.clean) this.sessionExpiry = 0;
    const packet: IConnackPacket = {
      cmd: 'connack',
      reasonCode: 0,
      sessionPresent,
      properties: {
        receiveMaximum: limits.maxUnreleased,
        maximumPacketSize: limits.maxPacketSize,
        subscriptionIdentifiersAvailable: false,
        sharedSubscriptionAvailable: false,
        ...(assigned !== this.#clientId && { assignedClientIdentifier: assigned }),
        ...(this.#requestedExpiry !== this.sessionExpiry && { sessionExpiryInterval: this.sessionExpiry / second }),
      },
    };
    return encode(packet);
  }

  #acknowledged(messageId: number): void {
    if (!this.#ids.delete(messageId)) return;
    this.#inFlight--;
    const next = this.#held.shift();
    if (!next) return;
    this.heldBytes -= next.length;
    this.#inFlight++;
    this.#options.connection.send(next);
  }

  /** Sends a packet that the client acknowledges, when it has acknowledged enough others. */
  #send(messageId: number, bytes: Buffer): void {
    const { connection } = this.#options;
    this.#ids.add(messageId);
    if (this.#inFlight < this.#receiveMaximum) {
      this.#inFlight++;
      connection.send(bytes);
      return;
    }
    this.#held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.#ids.size > maxHeld) connection.terminate('queue_full');
    else connection.reportQueue();
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1;
    while (this.#ids.has(this.#lastId) || this.#options.persistence.usesId(this.#options.client, this.#lastId));
    return this.#lastId;
  }

  #end(reason: Mqtt5End): null {
    const { connection } = this.#options;
    connection.setDisconnectReason(reason);
    connection.close('protocol');
    return null;
  }
}
