/** The sign-in data of a client. */
export interface MqttLogin {
  readonly username: string;
  readonly password: string;
  readonly clientId: string | null;
  /** IP address of the client. */
  readonly address: string;
}

/** The credential that a client signed in with. */
export interface Credential {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Ids of credentials, by the names of their users. */
export type CredentialIds = ReadonlyMap<string, ReadonlySet<string>>;

/** A signed-in client and its rights. */
export interface ClientIdentity {
  /** The user's name. Client ids, sessions and connection limits are per user. */
  readonly name: string;
  /** Whether unrelated clients use this name: their client ids are random, and their sessions end with the connection. */
  readonly isShared: boolean;
  /** Null: the connection does not depend on one. */
  readonly credential: Credential | null;
  /** Connections of the user at the same time; by default the server's limit. */
  readonly maxConnections?: number;
  /** Takes the client's messages, which are delivered to no client. */
  readonly take?: (topic: string, payload: Buffer) => void;
  /** Whether a message on a topic is acknowledged and dropped. Called once for each message, before the other checks. */
  ignores?(topic: string): boolean;
  /** Returns its result synchronously where no I/O is needed, which keeps the order of messages without waiting. */
  canPublish(topic: string): true | Promise<boolean>;
  /** The same for a filter. */
  canSubscribe(filter: string): true | Promise<boolean>;
  /** Checked again for each message that is delivered, whatever the client subscribed to. */
  canReceive(topic: string): boolean;
}

/** Checks the credentials of clients that connect. */
export interface Authenticator {
  /** Rejects when the credentials cannot be checked at the moment. */
  authenticate(login: MqttLogin): Promise<ClientIdentity | 'bad_credentials' | 'not_authorized'>;
  /** Returns the valid ones of the credentials: with each, its client would be accepted again, with at least the same permissions. */
  findValidCredentials(credentials: CredentialIds): Promise<CredentialIds>;
}
