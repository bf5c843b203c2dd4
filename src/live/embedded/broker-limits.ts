const kib = 1024;
const mib = 1024 * kib;

/** What one client, one device and all clients together may use of the built-in broker, so that no client can stop the others. */
export const brokerLimits = {
  /** Bytes of the first packet, the CONNECT. A token has about a thousand. */
  connectBytes: 16 * kib,
  /** Bytes of any packet after that. The largest logs and states of robots have a few hundred KiB. */
  packetBytes: 2 * mib,
  /** Bytes of a SUBSCRIBE or UNSUBSCRIBE. */
  subscribeBytes: 16 * kib,
  /** Milliseconds from the connection to an accepted CONNECT, TLS handshake included. */
  connectWithin: 5_000,
  /** Open connections that have not signed in yet … */
  pending: 2_000,
  /** … and those of one address; the oldest makes room. */
  pendingOfAddress: 1_000,
  /** Signed-in connections of one device, or of `admin`. */
  connectionsOfUser: 100,
  /** Signed-in connections of all visitors of demo accounts together. */
  demoConnections: 1_000,
  /** Characters of a client id. */
  clientId: 256,
  /** Bytes of a topic or a filter, as in AMQP. */
  topicBytes: 255,
  /** Levels of a topic or a filter. The server's own topics have five; with each more, filters with `+` cost double. */
  topicLevels: 10,
  /** Filters that a connection may subscribe to. */
  subscriptions: 100,
  /** Filters that a connection may ask for in vain before it is cut. */
  refusedSubscriptions: 100,
  /** Bytes that wait for a client which does not read. */
  queuedBytes: 4 * mib,
  /** The same for all clients together. */
  queuedBytesOfAll: 128 * mib,
  /** Bytes of unfinished packets of all clients together. */
  unfinishedBytesOfAll: 64 * mib,
  /** Packets that a client may send at once … */
  burst: 1_000,
  /** … and each second after that. Far above the 25 a second that a device may send for long. */
  perSecond: 100,
  /** Bytes of a message that count as one more … */
  bytesPerToken: 16 * kib,
  /** What a SUBSCRIBE or UNSUBSCRIBE costs: it may call for all that a device retained … */
  listTokens: 8,
  /** … and bytes of its filters that cost one more: each is compared with much. */
  filterBytesPerToken: 64,
  /** What packets of a client may cost until others have their turn … */
  pieceTokens: 16,
  /** … milliseconds of such turns until the rest of the process has its turn … */
  turnTime: 5,
  /** … and how many of them: acknowledged messages are worked off later. */
  turnPieces: 16,
  /** Pings of a WebSocket whose answers wait because the client does not read. */
  unansweredPings: 60,
  /** Bytes of a client that the broker has not looked at yet; beyond that it is not read. */
  unreadBytes: 64 * kib,
  /** QoS 2 messages of a client that wait for their release. */
  unreleased: 100,
  /** Bytes of unacknowledged logs and telemetry that are being stored; beyond that their senders wait. */
  ingestingBytes: 16 * mib,
  /** Milliseconds that an ended connection has to take what is queued for it. */
  farewell: 1_000,
  /** The same when the server stops. */
  farewellAtStop: 500,
} as const;

/** What the broker keeps for clients that are away, and for those that come later. */
export const storeLimits = {
  /** Sessions of one user that outlive their connection. */
  sessionsOfUser: 20,
  /** Messages that wait for a session … */
  queuedMessages: 1_000,
  /** … and their bytes. */
  queuedBytes: mib,
  /** Bytes that wait for all sessions of one user. */
  queuedBytesOfUser: 4 * mib,
  /** Bytes that wait for all sessions together; beyond that those that are away longest are forgotten. */
  queuedBytesOfAll: 64 * mib,
  /** Milliseconds after which a session is forgotten that nobody came back to. */
  unusedSession: 24 * 60 * 60_000,
  /** Retained messages of one device … */
  retainedTopics: 64,
  /** … and their bytes. */
  retainedBytes: 512 * kib,
  /** Bytes of all retained messages; beyond that those of the device are forgotten that retained something least lately. */
  retainedBytesOfAll: 64 * mib,
  /** Bytes that a kept message counts for beside its topic and payload. */
  overhead: 256,
} as const;

type Widened<T> = { readonly [K in keyof T]: number };
export type BrokerLimits = Widened<typeof brokerLimits>;
export type StoreLimits = Widened<typeof storeLimits>;
