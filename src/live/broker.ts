import type { Server } from 'node:http';
import type { Message as Sentence } from '../core/message.ts';
import type { Message } from '../core/message-outlet.ts';
import type { RobotMessageListener } from './robots/robot-messages.ts';
import type { IngestedChannel } from './topics.ts';

/**
 * Whether a message may have been stored before: `likely` if the broker delivers it again, or to another process, since its
 * acknowledgment was lost; `possible` in the first minute of a connection, when robots repeat unacknowledged messages.
 */
export type Repetition = 'likely' | 'possible';

/** Called when the message's turn comes: until then its connection may be lost. */
export type GetRepetition = () => Repetition | undefined;

/** Stores a message of a device. Resolves when it is stored, or discarded; rejects when it must be sent again. */
export type Ingest = (
  channel: IngestedChannel,
  deviceId: number,
  payload: Buffer,
  repetition?: GetRepetition,
) => Promise<void>;

/** Receives the messages of robots, and requests to them. */
export type Observe = RobotMessageListener;

/** A connected robot. */
export interface RobotClient {
  /** When it connected, in ms since the epoch; with RabbitMQ: its first message without a longer pause since. */
  readonly since: number;
  /** When it published last, in ms since the epoch; absent where the broker knows its connection. */
  readonly lastSeen?: number;
  /** The token (`jti`) that it signed in with; null where the broker does not know it. */
  readonly jti: string | null;
}

/** The status of the broker, for health checks. */
export interface BrokerStatus {
  readonly ok: boolean;
  readonly message: Sentence;
  /** Connected clients; null where the server does not know. */
  readonly connections: number | null;
}

/** The message broker: built in, or RabbitMQ. */
export interface Broker {
  /** Opens the ports, or starts to connect. `http`: the listening HTTP server, for WebSockets. Rejects when a port is in use; an external broker may become available later. */
  start(http: Server): Promise<void>;
  /** Resolves when the broker has accepted the message, and waits while the broker is unavailable. Rejects when too many messages wait, at the stop, and when the signal is aborted before it was sent. */
  publish(message: Message, signal?: AbortSignal): Promise<void>;
  /** Returns the connected robots of a device: clients with a robot's id or session that receive requests, or with RabbitMQ one if a robot published in the last 70 s. */
  robots(deviceId: number): readonly RobotClient[];
  /** Whether a robot of a device gets its announcements; robots that the server runs do not count. */
  hasRobot(deviceId: number): boolean | Promise<boolean>;
  /** Publishes a message to the robots of a device that subscribed to its topic, with RabbitMQ to all clients. Returns false if there is none. */
  toRobots(deviceId: number, message: Message): Promise<boolean>;
  /** How long a subscription takes that was allowed, in ms. */
  readonly subscribeTime: number;
  /** Returns the time since which a robot that subscribes now may have missed announcements that it seemed to get, in ms since the epoch; null: none. */
  missedSince(deviceId: number): number | null;
  /** Resolves when a device's clients may be back after a start of this process, so that they receive the rest of an earlier one. */
  untilClientsReturn(deviceId: number): Promise<void>;
  /** Closes a device's connections with tokens that are no longer valid, after everything published to them was delivered. `isNotified`: that was something they must receive. [decision 37] */
  endSessions(deviceId: number, isNotified: boolean): Promise<void>;
  status(): BrokerStatus;
  /** Closes all connections and ports. */
  stop(): Promise<void>;
}

/** Returns the virtual host in a broker's URL, `/` by default. Throws for one that is not URL-encoded. */
export function brokerVhost(url: string | null): string {
  const path = url === null ? '' : new URL(url).pathname.slice(1);
  if (path === '') return '/';
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Error('BROKER_URL: the virtual host is not correctly URL-encoded.');
  }
}
