import type { ServerScope } from '../db/scope.ts';
import type { RetentionLayout } from '../mqtt/retained-messages.ts';

/** The users with which Home Assistant connects to the built-in broker, one for each garden. */
export interface GardenUsers {
  username(deviceId: number): string;
  /** Returns the device of a username; null for other names. */
  deviceOf(username: string): number | null;
  /** Returns what connections know a password by. */
  credentialOf(password: string): string;
  /** Returns that of a garden's valid password; null: none. */
  validCredential(server: ServerScope, deviceId: number): Promise<string | null>;
  canSubscribe(deviceId: number, filter: string): boolean;
  canReceive(deviceId: number, topic: string): boolean;
  readonly retention: RetentionLayout;
}

/** What Home Assistant's messages and passwords concern. */
export interface GardenListener {
  /** Receives what a garden's user publishes. False: it may not publish there. */
  receive(deviceId: number, topic: string, payload: string): boolean;
  /** Called when passwords may have ended. */
  recheck(): Promise<void>;
}

/** The connections of gardens' users to the built-in broker. */
export interface GardenConnections {
  /** Sets the listener. What the users publish is delivered to no client. */
  listen(listener: GardenListener): void;
  /** The devices whose gardens' users are connected to this process. */
  connected(): readonly number[];
  /** Closes those of a garden whose password is no longer valid, after everything published to them was delivered. */
  endSessions(deviceId: number): Promise<void>;
}
