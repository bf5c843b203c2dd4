import type { Server } from 'node:http';

/** A message from the server to whoever listens. QoS 0, not retained. [reference 12.4] */
export interface Message {
  /** In MQTT's form, `bot/device_5/logs`. */
  readonly topic: string;
  /** JSON text. */
  readonly payload: string;
}

/** How the broker fares, for people. */
export interface BrokerStatus {
  readonly ok: boolean;
  /** A sentence. */
  readonly message: string;
  /** Connected clients; null where the server does not know. */
  readonly connections: number | null;
}

/** The message broker as the rest of the server sees it: built in, or RabbitMQ. */
export interface Broker {
  /** Opens its ports, or connects. `http`: the listening HTTP server, for WebSockets. Rejects when a port is taken; a broker elsewhere may come later. */
  start(http: Server): Promise<void>;
  /** Resolves when the broker has taken the message; waits while the broker is away. Rejects when it cannot wait any longer. */
  publish(message: Message): Promise<void>;
  /** Ends the connections of a device that use tokens which are no longer valid, after what was published to them has left. [decision 37] */
  endSessions(deviceId: number): Promise<void>;
  status(): BrokerStatus;
  /** Ends all connections and closes the ports. */
  stop(): Promise<void>;
}

/** The robot's name on the broker, in tokens and in topics. */
export const deviceUsername = (deviceId: number): string => `device_${deviceId}`;

/** The topic of one of a device's channels, in MQTT's form. */
export const deviceTopic = (deviceId: number, ...channel: readonly (string | number)[]): string =>
  `bot/${deviceUsername(deviceId)}/${channel.join('/')}`;

/** The virtual host that a broker's address names, `/` if none. Throws for one that is not rightly encoded. */
export function brokerVhost(url: string | null): string {
  const path = url === null ? '' : new URL(url).pathname.slice(1);
  if (path === '') return '/';
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Error('The virtual host in BROKER_URL is not rightly encoded.');
  }
}
