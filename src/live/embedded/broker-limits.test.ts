import { expect, it } from 'vitest';
import { brokerLimits, storeLimits } from './broker-limits.ts';

// Other tests show that each limit is kept, with smaller numbers where the real one takes long to reach.
it('limits clients of the built-in broker to these numbers', () => {
  expect(brokerLimits).toEqual({
    connectBytes: 16_384,
    packetBytes: 2_097_152,
    subscribeBytes: 16_384,
    connectWithin: 5_000,
    pending: 2_000,
    pendingOfAddress: 1_000,
    connectionsOfUser: 100,
    demoConnections: 1_000,
    clientId: 256,
    topicBytes: 255,
    topicLevels: 10,
    subscriptions: 100,
    refusedSubscriptions: 100,
    queuedBytes: 4_194_304,
    queuedBytesOfAll: 134_217_728,
    unfinishedBytesOfAll: 67_108_864,
    burst: 1_000,
    perSecond: 100,
    bytesPerToken: 16_384,
    listTokens: 8,
    filterBytesPerToken: 64,
    pieceTokens: 16,
    turnTime: 5,
    turnPieces: 16,
    unansweredPings: 60,
    unreadBytes: 65_536,
    unreleased: 100,
    ingestingBytes: 16_777_216,
    farewell: 1_000,
    farewellAtStop: 500,
  });
});

it('keeps no more than this for clients of the built-in broker', () => {
  expect(storeLimits).toEqual({
    sessionsOfUser: 20,
    queuedMessages: 1_000,
    queuedBytes: 1_048_576,
    queuedBytesOfUser: 4_194_304,
    queuedBytesOfAll: 67_108_864,
    unusedSession: 86_400_000,
    retainedTopics: 64,
    retainedBytes: 524_288,
    retainedBytesOfAll: 67_108_864,
    overhead: 256,
  });
});
