import { expect, it } from 'vitest';
import { mqttLimits, storeLimits } from './limits.ts';

// Other tests show that each limit is enforced, with smaller numbers where the real one takes long to reach.
it('has these limits for clients', () => {
  expect(mqttLimits).toEqual({
    maxConnectSize: 16_384,
    maxConnectPropertiesSize: 1_024,
    maxPacketSize: 2_097_152,
    maxSubscribeSize: 16_384,
    maxPropertiesSize: 8_192,
    connectTimeout: 5_000,
    maxPending: 2_000,
    maxPendingPerAddress: 1_000,
    maxSigningIn: 16,
    maxWaiting: 10_000,
    maxWaitingPerAddress: 1_000,
    maxConnectionsPerUser: 100,
    maxSharedConnections: 1_000,
    maxClientIdLength: 256,
    maxTopicSize: 255,
    maxTopicLevels: 10,
    maxSubscriptions: 100,
    maxRejectedSubscriptions: 100,
    maxQueuedBytes: 4_194_304,
    maxTotalQueuedBytes: 134_217_728,
    maxTotalPartialBytes: 67_108_864,
    bucketSize: 1_000,
    tokensPerSecond: 100,
    bytesPerToken: 16_384,
    subscribeTokens: 8,
    filterBytesPerToken: 64,
    sliceTokens: 16,
    maxRoundTime: 5,
    maxRoundSlices: 16,
    maxUnansweredPings: 60,
    readBufferSize: 65_536,
    maxUnreleased: 100,
    maxUnhandledBytes: 16_777_216,
    closeTimeout: 1_000,
    stopTimeout: 500,
  });
});

it('has these limits for sessions and retained messages', () => {
  expect(storeLimits).toEqual({
    maxSessionsPerUser: 20,
    maxQueuedMessages: 1_000,
    maxQueuedBytes: 1_048_576,
    maxQueuedBytesPerUser: 4_194_304,
    maxTotalQueuedBytes: 67_108_864,
    sessionExpiry: 86_400_000,
    maxRetainedPerUser: 64,
    maxRetainedBytesPerUser: 524_288,
    maxTotalRetainedBytes: 67_108_864,
    messageOverhead: 256,
  });
});
