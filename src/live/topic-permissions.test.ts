import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../mqtt/topic-tree.ts';
import { dependsOnOperation, receivableTopics, topicPermission } from './topic-permissions.ts';
import { channels } from './topics.ts';

const channelNames =
  'from_api from_clients from_device terminal_output terminal_input logs ping pong status sync telemetry'.split(' ');

const verdict = (key: string, operation = 'read', username = 'device_5') =>
  topicPermission(username, operation, key).verdict;

describe('a device', () => {
  it('has eleven channels', () => {
    expect(Object.keys(channels).sort()).toEqual(channelNames.toSorted());
  });

  it.each(channelNames)('may read and write its channel %s and topics below it', (channel) => {
    expect(topicPermission('device_5', 'read', `bot.device_5.${channel}`)).toEqual({ verdict: 'allow' });
    expect(verdict(`bot.device_5.${channel}`, 'write')).toBe('allow');
    expect(verdict(`bot.device_5.${channel}.Point.#`)).toBe('allow');
  });

  it('may subscribe to all its channels with one filter', () => {
    for (const key of ['bot.device_5.#', 'bot.device_5.*', 'bot.device_5.sync.*.7', 'bot.device_5.#.logs'])
      expect(verdict(key)).toBe('allow');
  });

  it('may not use topics of other devices', () => {
    const foreign = ['bot.device_6.logs', 'bot.device_55.logs', 'bot.device_6.#', 'bot.device_05.logs'];
    for (const key of [...foreign, `bot.device_${'5'.repeat(40)}.logs`, 'bot.device_0.logs'])
      for (const operation of ['read', 'write', '']) expect(verdict(key, operation)).toBe('deny');
  });

  it.each([
    'bot.device_5',
    'bot.device_5.',
    'bot.*',
    'bot.#',
    '*',
    '#',
    '',
    'foo',
    '+',
    'bot.*.logs',
    'bot.#.logs',
    'bot.+.logs',
    'bot.device_5.status_v3',
    'bot.device_5.logsx',
    'bot.device_5.log',
    'bot.device_5#.logs',
    'bot.device_5*.logs',
    'bot.device_#.logs',
    'bot.device_5.logs\n',
    'bot.device_5.logs\u0000',
    'bot.device_5.logs/x',
    'bot/device_5/logs',
    '\nbot.device_5.logs',
    'x.bot.device_5.logs',
    'bot.device_6.x\nbot.device_5.logs',
    'BOT.device_5.logs',
    'bot.DEVICE_5.logs',
    'bot..device_5.logs',
    'bot.device_-5.logs',
    'bot.device_٥.logs',
    'device_5.logs',
    '$SYS.#',
    '$share.g.bot.device_5.logs',
    'public_broadcast.x',
    'public_broadcasts',
    'demos.x',
    `bot.device_5.logs${'.a'.repeat(10_000)}`,
  ])('finds %j malformed', (key) => {
    expect(verdict(key)).toBe('malformed');
    expect(verdict(key, 'write')).toBe('malformed');
  });

  it("may use routing keys of AMQP's maximum size", () => {
    expect(verdict(`bot.device_5.logs.${'é'.repeat(118)}.`)).toBe('allow');
    expect(verdict(`bot.device_5.logs.${'é'.repeat(118)}..`)).toBe('malformed');
  });

  it('may write to the terminal only with a staff token', () => {
    const permission = (key: string) => topicPermission('device_5', 'write', key);
    expect(permission('bot.device_5.terminal_input')).toEqual({ verdict: 'allow', staffDeviceId: 5 });
    expect(permission('bot.device_5.logs.terminal_input')).toEqual({ verdict: 'allow', staffDeviceId: 5 });
    expect(permission('bot.device_5.terminal_inputs')).toEqual({ verdict: 'malformed', staffDeviceId: 5 });
    expect(permission('bot.device_6.terminal_input')).toEqual({ verdict: 'deny' });
    expect(permission('foo.terminal_input')).toEqual({ verdict: 'deny' });
    expect(permission(`bot.device_${'5'.repeat(100)}.terminal_inputs`)).toEqual({ verdict: 'deny' });
  });
});

describe('the public topic', () => {
  it.each(['public_broadcast', 'public_broadcast.*', 'public_broadcast.#'])('%s may be read, not written', (key) => {
    for (const user of ['device_5', 'farmbot_demo', 'guest']) {
      expect(verdict(key, 'read', user)).toBe('allow');
      expect(verdict(key, 'write', user)).toBe('deny');
      expect(verdict(key, '', user)).toBe('deny');
    }
  });
});

describe('a demo visitor', () => {
  it('may read the topic of its secret', () => {
    expect(verdict('demos.0123456789abcdef', 'read', 'farmbot_demo')).toBe('allow');
  });

  it.each([
    'demos',
    'demos.',
    'demos.#',
    'demos.*',
    'demos.a#',
    'demos.x.#',
    'demos.#.x',
    'demos.x.y',
    'demos.x.',
    '.demos.x',
    'Demos.x',
    '#',
    'bot.device_5.logs',
    `demos.${'x'.repeat(300)}`,
  ])('may not read %s', (key) => {
    expect(verdict(key, 'read', 'farmbot_demo')).toBe('deny');
    expect(verdict('demos.0123456789abcdef', 'write', 'farmbot_demo')).toBe('deny');
  });
});

describe('other users', () => {
  it.each(['guest', 'Admin', '', 'device_05', 'device_5x', 'device_5\u0000', 'DEVICE_5'])(
    '%j may use no topics',
    (name) => {
      expect(verdict('bot.device_5.logs', 'read', name)).toBe('deny');
      expect(verdict('foo', 'read', name)).toBe('malformed');
    },
  );
});

describe('dependsOnOperation', () => {
  it('is true where the permission differs between reading and writing', () => {
    expect(dependsOnOperation('device_5', 'public_broadcast.#')).toBe(true);
    expect(dependsOnOperation('device_5', 'bot.device_5.terminal_input')).toBe(true);
    expect(dependsOnOperation('farmbot_demo', 'foo')).toBe(true);
    expect(dependsOnOperation('device_5', 'bot.device_5.logs')).toBe(false);
    expect(dependsOnOperation('device_5', 'foo')).toBe(false);
  });
});

describe('receivableTopics', () => {
  const topics = [
    ...[
      'bot/device_5/logs',
      'bot/device_5/sync/Point/7',
      'bot/device_6/logs',
      'bot/device_55/logs',
      'bot/device_5x/logs',
    ],
    ...['public_broadcast', 'public_broadcast/x', 'public_broadcasts', 'demos/secret', 'demos', 'x', '$SYS/x'],
  ];

  it('agrees with the permission to subscribe', () => {
    const filters = ['#', '+/+/#', 'bot/#', 'bot/device_5/#', 'bot/+/logs', 'bot/device_6/#', 'bot/device_5/+'];
    for (const user of ['device_5', 'farmbot_demo']) {
      const granted = [...filters, ...topics, 'public_broadcast/#', 'demos/+'].filter(
        (filter) => verdict(filter.replaceAll('/', '.').replaceAll('+', '*'), 'read', user) === 'allow',
      );
      for (const topic of topics)
        expect([user, topic, receivableTopics(user)(topic)]).toEqual([
          user,
          topic,
          granted.some((filter) => matchesFilter(filter, topic)),
        ]);
    }
  });
});
