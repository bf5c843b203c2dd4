const kib = 1024;
const mib = 1024 * kib;

/** Limits of one client, one user and all clients together, so that no client can starve the others. */
export const mqttLimits = {
  /** Bytes of a CONNECT, password included. */
  maxConnectSize: 16 * kib,
  /** Bytes of its properties and those of its will, with MQTT 5. */
  maxConnectPropertiesSize: kib,
  /** Bytes of any later packet. */
  maxPacketSize: 2 * mib,
  /** Bytes of a SUBSCRIBE or UNSUBSCRIBE. */
  maxSubscribeSize: 16 * kib,
  /** Bytes of the properties of a message, with MQTT 5. */
  maxPropertiesSize: 8 * kib,
  /** Milliseconds from the connection to a CONNECT, TLS handshake included; and for the check of its credentials. */
  connectTimeout: 5_000,
  /** Open connections that have sent no CONNECT yet. */
  maxPending: 2_000,
  /** The same per address. The oldest is closed to make room. */
  maxPendingPerAddress: 1_000,
  /** Clients that sign in concurrently, and at most in one iteration of the event loop, so that HTTP requests have their turns. */
  maxSigningIn: 16,
  /** Clients that wait for it: as many robots reconnect at once when the server was away. */
  maxWaiting: 10_000,
  /** The same per address. */
  maxWaitingPerAddress: 1_000,
  /** Signed-in connections per user. */
  maxConnectionsPerUser: 100,
  /** Signed-in connections of a shared user. */
  maxSharedConnections: 1_000,
  /** Characters of a client id. */
  maxClientIdLength: 256,
  /** Bytes of a topic or a filter, as in AMQP. */
  maxTopicSize: 255,
  /** Levels of a topic or a filter. Each level doubles the worst-case cost of filters with `+`. */
  maxTopicLevels: 10,
  /** Subscriptions per connection. */
  maxSubscriptions: 100,
  /** Rejected subscriptions after which a connection is closed. */
  maxRejectedSubscriptions: 100,
  /** Bytes queued for a client that does not read. */
  maxQueuedBytes: 4 * mib,
  /** Bytes queued for all clients together. */
  maxTotalQueuedBytes: 128 * mib,
  /** Bytes of partially received packets of all clients together. */
  maxTotalPartialBytes: 64 * mib,
  /** Capacity of a client's token bucket: the messages that it may send in a burst. */
  bucketSize: 1_000,
  /** Tokens that the bucket regains each second. */
  tokensPerSecond: 100,
  /** Bytes of a message that cost one token more. */
  bytesPerToken: 16 * kib,
  /** Tokens of a SUBSCRIBE or UNSUBSCRIBE, which may ask for all retained messages of a user. */
  subscribeTokens: 8,
  /** Bytes of its filters, or of properties with MQTT 5, that cost one token more. */
  filterBytesPerToken: 64,
  /** Tokens that a client may spend before the next client has its turn. */
  sliceTokens: 16,
  /** Milliseconds of work on packets before control returns to the event loop. */
  maxRoundTime: 5,
  /** Slices in the same time; acknowledged messages cause work later. */
  maxRoundSlices: 16,
  /** WebSocket pings whose pongs are not written yet. */
  maxUnansweredPings: 60,
  /** Bytes received and not yet parsed, beyond which the socket is paused. */
  readBufferSize: 64 * kib,
  /** Unreleased QoS 2 messages per client. */
  maxUnreleased: 100,
  /** Bytes of QoS 0 messages whose handler has not finished, beyond which their senders wait. */
  maxUnhandledBytes: 16 * mib,
  /** Milliseconds that a closing connection has to take its queue. */
  closeTimeout: 1_000,
  /** The same when the server stops. */
  stopTimeout: 500,
} as const;

/** Limits on sessions of offline clients and on retained messages. */
export const storeLimits = {
  /** Sessions per user that outlive their connection. */
  maxSessionsPerUser: 20,
  /** Messages queued for a session. */
  maxQueuedMessages: 1_000,
  /** Bytes queued for a session. */
  maxQueuedBytes: mib,
  /** Bytes queued for all sessions of a user. */
  maxQueuedBytesPerUser: 4 * mib,
  /** Bytes queued for all sessions together, beyond which the sessions that are offline longest are deleted. */
  maxTotalQueuedBytes: 64 * mib,
  /** Milliseconds offline after which a session is deleted. */
  sessionExpiry: 24 * 60 * 60_000,
  /** Retained messages per user. */
  maxRetainedPerUser: 64,
  /** Bytes of retained messages per user. */
  maxRetainedBytesPerUser: 512 * kib,
  /** Bytes of all retained messages, beyond which the least recently publishing user's are deleted. */
  maxTotalRetainedBytes: 64 * mib,
  /** Bytes that a stored message counts in addition to its topic and payload. */
  messageOverhead: 256,
} as const;

type Widened<T> = { readonly [K in keyof T]: number };
export type MqttLimits = Widened<typeof mqttLimits>;
export type StoreLimits = Widened<typeof storeLimits>;
