import { describe, expect, it } from 'vitest';
import { deviceIdOf, ingestedChannels, parseIngestedTopic, routingKeyOf, topicOfRoutingKey } from './topics.ts';

describe('deviceIdOf', () => {
  it('returns the id in its only valid form', () => {
    expect(deviceIdOf('device_5')).toBe(5);
    expect(deviceIdOf('device_9007199254740991')).toBe(9_007_199_254_740_991);
  });

  it.each([
    'device_5\u0000',
    'device_5\n',
    'device_05',
    'device_5x',
    'DEVICE_5',
    ' device_5',
    'device_0',
    'device_-5',
    'device_5.0',
    'device_٥',
    'device_9007199254740992',
    `device_${'9'.repeat(100_000)}`,
    'device_',
    '5',
    '',
    'admin',
  ])('returns null for %j', (name) => {
    expect(deviceIdOf(name)).toBeNull();
  });
});

describe('parseIngestedTopic', () => {
  it('recognizes the logs and telemetry of a device', () => {
    expect(ingestedChannels).toEqual(['logs', 'telemetry']);
    expect(parseIngestedTopic('bot/device_5/logs')).toEqual({ deviceId: 5, channel: 'logs' });
    expect(parseIngestedTopic('bot/device_5/telemetry')).toEqual({ deviceId: 5, channel: 'telemetry' });
  });

  it.each([
    'bot/device_5/status',
    'bot/device_5/logs/deeper',
    'bot/device_5/logs\n',
    'bot/device_05/logs',
    'bot/device_9007199254740992/logs',
    'x/bot/device_5/logs',
    'bot.device_5.logs',
    'logs',
  ])('returns null for %j', (topic) => {
    expect(parseIngestedTopic(topic)).toBeNull();
  });
});

describe('routing keys', () => {
  it('have . and / exchanged, and * instead of +', () => {
    expect(routingKeyOf('bot/device_5/sync/#')).toBe('bot.device_5.sync.#');
    expect(routingKeyOf('bot/+/logs')).toBe('bot.*.logs');
    expect(routingKeyOf('bot.device_5.logs')).toBe('bot/device_5/logs');
    expect(routingKeyOf('/a//b.c')).toBe('.a..b/c');
  });

  it('are converted back to topics', () => {
    expect(topicOfRoutingKey('bot.device_5.logs')).toBe('bot/device_5/logs');
    expect(topicOfRoutingKey('bot/device_5/logs')).toBe('bot.device_5.logs');
  });
});
