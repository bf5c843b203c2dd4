import { describe, expect, it } from 'vitest';
import { deviceNamed, needsPermission, routingKeyOf, topicRuling } from './topic-permissions.ts';

const channels =
  'from_api from_clients from_device terminal_output terminal_input logs ping pong status sync telemetry'.split(' ');

const verdict = (key: string, permission = 'read', username = 'device_5') =>
  topicRuling(username, permission, key).verdict;

describe('deviceNamed', () => {
  it('knows the one spelling of a device and no other', () => {
    expect(deviceNamed('device_5')).toBe(5);
    expect(deviceNamed('device_9007199254740991')).toBe(9_007_199_254_740_991);
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
  ])('finds no device in %j', (name) => {
    expect(deviceNamed(name)).toBeNull();
  });
});

describe('routingKeyOf', () => {
  it('exchanges slash and dot and turns + into *', () => {
    expect(routingKeyOf('bot/device_5/sync/#')).toBe('bot.device_5.sync.#');
    expect(routingKeyOf('bot/+/logs')).toBe('bot.*.logs');
    expect(routingKeyOf('bot.device_5.logs')).toBe('bot/device_5/logs');
    expect(routingKeyOf('/a//b.c')).toBe('.a..b/c');
  });
});

describe('a device', () => {
  it.each(channels)('reads and writes its channel %s and what is below', (channel) => {
    expect(topicRuling('device_5', 'read', `bot.device_5.${channel}`)).toEqual({ verdict: 'allow' });
    expect(verdict(`bot.device_5.${channel}`, 'write')).toBe('allow');
    expect(verdict(`bot.device_5.${channel}.Point.#`)).toBe('allow');
  });

  it('reads all its channels at once', () => {
    for (const key of ['bot.device_5.#', 'bot.device_5.*', 'bot.device_5.sync.*.7', 'bot.device_5.#.logs'])
      expect(verdict(key)).toBe('allow');
  });

  it('has nothing of other devices', () => {
    const foreign = ['bot.device_6.logs', 'bot.device_55.logs', 'bot.device_6.#', 'bot.device_05.logs'];
    for (const key of [...foreign, `bot.device_${'5'.repeat(40)}.logs`, 'bot.device_0.logs'])
      for (const permission of ['read', 'write', '']) expect(verdict(key, permission)).toBe('deny');
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
  ])('finds no topic in %j', (key) => {
    expect(verdict(key)).toBe('malformed');
    expect(verdict(key, 'write')).toBe('malformed');
  });

  it('may use the longest routing key of AMQP', () => {
    expect(verdict(`bot.device_5.logs.${'é'.repeat(118)}.`)).toBe('allow');
    expect(verdict(`bot.device_5.logs.${'é'.repeat(118)}..`)).toBe('malformed');
  });

  it('writes to the terminal only with support staff there', () => {
    const ruling = (key: string) => topicRuling('device_5', 'write', key);
    expect(ruling('bot.device_5.terminal_input')).toEqual({ verdict: 'allow', staffOf: 5 });
    expect(ruling('bot.device_5.logs.terminal_input')).toEqual({ verdict: 'allow', staffOf: 5 });
    expect(ruling('bot.device_5.terminal_inputs')).toEqual({ verdict: 'malformed', staffOf: 5 });
    expect(ruling('bot.device_6.terminal_input')).toEqual({ verdict: 'deny' });
    expect(ruling('foo.terminal_input')).toEqual({ verdict: 'deny' });
    expect(ruling(`bot.device_${'5'.repeat(100)}.terminal_inputs`)).toEqual({ verdict: 'deny' });
  });
});

describe('what everybody hears', () => {
  it.each(['public_broadcast', 'public_broadcast.*', 'public_broadcast.#'])('%s is read, never written', (key) => {
    for (const user of ['device_5', 'farmbot_demo', 'guest']) {
      expect(verdict(key, 'read', user)).toBe('allow');
      expect(verdict(key, 'write', user)).toBe('deny');
      expect(verdict(key, '', user)).toBe('deny');
    }
  });
});

describe('a demo visitor', () => {
  it('waits for one session', () => {
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
  ])('gets nothing else: %s', (key) => {
    expect(verdict(key, 'read', 'farmbot_demo')).toBe('deny');
    expect(verdict('demos.0123456789abcdef', 'write', 'farmbot_demo')).toBe('deny');
  });
});

describe('other names', () => {
  it.each(['guest', 'Admin', '', 'device_05', 'device_5x', 'device_5\u0000', 'DEVICE_5'])(
    '%j has no topics',
    (name) => {
      expect(verdict('bot.device_5.logs', 'read', name)).toBe('deny');
      expect(verdict('foo', 'read', name)).toBe('malformed');
    },
  );
});

describe('needsPermission', () => {
  it('is true where the ruling looks at it', () => {
    expect(needsPermission('device_5', 'public_broadcast.#')).toBe(true);
    expect(needsPermission('device_5', 'bot.device_5.terminal_input')).toBe(true);
    expect(needsPermission('farmbot_demo', 'foo')).toBe(true);
    expect(needsPermission('device_5', 'bot.device_5.logs')).toBe(false);
    expect(needsPermission('device_5', 'foo')).toBe(false);
  });
});
