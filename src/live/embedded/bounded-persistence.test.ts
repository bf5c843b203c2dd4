import type { AedesPublishPacket } from 'aedes';
import { describe, expect, it } from 'vitest';
import { BoundedPersistence } from './bounded-persistence.ts';
import { brokerLimits, type StoreLimits, storeLimits } from './broker-limits.ts';
import { ByteBudget } from './byte-budget.ts';
import { GuardedConnection } from './guarded-connection.ts';
import type { Transport } from './transport.ts';

const time = { now: 1_000_000 };
const limits: StoreLimits = {
  ...storeLimits,
  sessionsOfUser: 2,
  queuedMessages: 3,
  queuedBytes: 1000,
  queuedBytesOfUser: 1500,
  queuedBytesOfAll: 2000,
  retainedTopics: 2,
  retainedBytes: 1000,
  retainedBytesOfAll: 1500,
  overhead: 0,
};
const opened = () => new BoundedPersistence(limits, { now: () => time.now });

const nowhere: Transport = {
  address: '127.0.0.1',
  queued: 0,
  unfinished: 0,
  open() {},
  send() {},
  pause() {},
  resume() {},
  accept() {},
  finish() {},
  destroy() {},
};
const budget = () =>
  new ByteBudget<GuardedConnection>(
    1,
    () => 0,
    () => undefined,
  );

type Subject = Parameters<BoundedPersistence['addSubscriptions']>[0];

/** A client as far as the persistence looks at it. */
function client(id: string, filters: readonly string[] = [], { jti = 'a', clean = false } = {}): Subject {
  const conn = new GuardedConnection(
    nowhere,
    {
      limits: brokerLimits,
      outgoing: budget(),
      incoming: budget(),
      flushSoon() {},
      workSoon() {},
      cut() {},
      left() {},
      gone() {},
    },
    null,
  );
  const [name = ''] = id.split('/');
  conn.user = { name, role: 'device', deviceId: Number(name.slice(7)), token: { jti, expires: 0 } };
  for (const filter of filters) conn.filters.set(filter, 1);
  const subject: Pick<Subject, 'id' | 'clean' | 'conn'> = { id, clean, conn };
  return subject as Subject;
}

let counter = 0;
function message(topic: string, size: number): AedesPublishPacket {
  const payload = Buffer.alloc(size - topic.length, 0x61);
  const packet = { cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false } as const;
  return { ...packet, brokerId: 'x', brokerCounter: ++counter };
}

/** Publishes to those who are away. */
function publish(persistence: BoundedPersistence, topic: string, size: number): void {
  const packet = message(topic, size);
  persistence.subscriptionsByTopic(topic).then((sessions) => persistence.outgoingEnqueueCombi(sessions, packet));
}

const topicsOf = async (persistence: BoundedPersistence, subject: Subject): Promise<string[]> => {
  const found: string[] = [];
  for await (const packet of persistence.outgoingStream(subject)) found.push(packet.topic ?? packet.cmd);
  return found;
};

/** A session with these filters whose client is away. */
function away(persistence: BoundedPersistence, id: string, filters: readonly string[], jti = 'a'): Subject {
  const subject = client(id, filters, { jti });
  persistence.addSubscriptions(
    subject,
    filters.map((topic) => ({ topic, qos: 1 })),
  );
  time.now++;
  persistence.disconnected(subject);
  return subject;
}

const outcome = (result: { then(use: () => unknown, fail: (error: Error) => unknown): void }): string => {
  let text = 'later';
  result.then(
    () => {
      text = 'done';
    },
    (error) => {
      text = error.message;
    },
  );
  return text;
};

describe('sessions that outlive their connections', () => {
  it('queue in order, up to their limits', async () => {
    const persistence = opened();
    const one = away(persistence, 'device_1/x', ['a', 'b']);
    publish(persistence, 'a', 400);
    publish(persistence, 'b', 400);
    publish(persistence, 'a', 400);
    publish(persistence, 'b', 100);
    publish(persistence, 'b', 10);
    expect(await topicsOf(persistence, one)).toEqual(['a', 'b', 'b']);
    expect(persistence.bytes).toBe(900);
  });

  it('forget what was acknowledged, and only that', async () => {
    const persistence = opened();
    const one = away(persistence, 'device_1/x', ['a', 'b']);
    publish(persistence, 'a', 10);
    publish(persistence, 'b', 10);
    persistence.outgoingUpdate(one, { cmd: 'publish', brokerCounter: counter, messageId: 7 });
    persistence.outgoingClearMessageId(one, { messageId: undefined });
    persistence.outgoingClearMessageId(one, { messageId: 8 });
    persistence.outgoingClearMessageId(client('device_2/x'), { messageId: 7 });
    expect(await topicsOf(persistence, one)).toEqual(['a', 'b']);
    persistence.outgoingClearMessageId(one, { messageId: 7 });
    persistence.outgoingClearMessageId(one, { messageId: 7 });
    expect(await topicsOf(persistence, one)).toEqual(['a']);
    expect(persistence.bytes).toBe(10);
  });

  it('remember the release of a QoS 2 message in its place', async () => {
    const persistence = opened();
    const one = away(persistence, 'device_1/x', ['a']);
    publish(persistence, 'a', 10);
    persistence.outgoingUpdate(one, { cmd: 'publish', brokerCounter: counter, messageId: 7 });
    persistence.outgoingUpdate(one, { cmd: 'pubrel', messageId: 7 });
    expect(await topicsOf(persistence, one)).toEqual(['pubrel']);
    persistence.outgoingClearMessageId(one, { messageId: 7 });
    expect(persistence.bytes).toBe(0);
  });

  it('share what a user may queue', async () => {
    const persistence = opened();
    const one = away(persistence, 'device_1/x', ['a']);
    const two = away(persistence, 'device_1/y', ['b']);
    publish(persistence, 'a', 1000);
    publish(persistence, 'b', 600);
    publish(persistence, 'b', 500);
    expect([await topicsOf(persistence, one), await topicsOf(persistence, two)]).toEqual([['a'], ['b']]);
    expect(persistence.bytes).toBe(1500);
  });

  it('make room for others when all are full, those first that left first', async () => {
    const persistence = opened();
    const first = away(persistence, 'device_1/x', ['a']);
    const second = away(persistence, 'device_2/x', ['b']);
    const third = away(persistence, 'device_3/x', ['c']);
    publish(persistence, 'b', 1000);
    publish(persistence, 'a', 1000);
    publish(persistence, 'c', 500);
    expect(await Promise.all([first, second, third].map((each) => topicsOf(persistence, each)))).toEqual([
      [],
      ['b'],
      ['c'],
    ]);
    expect([persistence.bytes, persistence.sessions]).toEqual([1500, 2]);
  });

  it('are few for each user: the one that left first goes, and who is there stays', () => {
    const persistence = opened();
    away(persistence, 'device_1/x', ['a']);
    const two = client('device_1/y', ['a']);
    persistence.addSubscriptions(two, [{ topic: 'a', qos: 1 }]);
    const three = client('device_1/z', ['a']);
    expect(outcome(persistence.addSubscriptions(three, [{ topic: 'a', qos: 1 }]))).toBe('done');
    expect(persistence.sessions).toBe(2);
    const four = client('device_1/w', ['a']);
    expect(outcome(persistence.addSubscriptions(four, [{ topic: 'a', qos: 1 }]))).toBe('too many sessions');
    expect(outcome(persistence.incomingStorePacket(four, { messageId: 1 }))).toBe('too many sessions');
    expect(outcome(persistence.addSubscriptions(client('device_2/w', ['a']), [{ topic: 'a', qos: 1 }]))).toBe('done');
  });

  it('keep granted filters only, with QoS 0 ones for the way back', () => {
    const persistence = opened();
    const one = client('device_1/x', ['a', 'b']);
    persistence.addSubscriptions(one, [
      { topic: 'a', qos: 1 },
      { topic: 'refused', qos: 1 },
      { topic: 'b', qos: 0 },
    ]);
    persistence.subscriptionsByClient(one).then((filters) =>
      expect(filters).toEqual([
        { topic: 'a', qos: 1 },
        { topic: 'b', qos: 0 },
      ]),
    );
    for (const [topic, count] of [
      ['a', 1],
      ['b', 0],
      ['refused', 0],
    ] as const)
      persistence.subscriptionsByTopic(topic).then((found) => expect(found).toHaveLength(count));
    persistence.removeSubscriptions(one, ['a', 'never']);
    persistence.subscriptionsByTopic('a').then((found) => expect(found).toEqual([]));
  });

  it('go with their token, with a clean connection, and with time', () => {
    const persistence = opened();
    away(persistence, 'device_1/x', ['a'], 'old');
    away(persistence, 'device_1/y', ['a'], 'new');
    expect(persistence.awayTokens('device_1')).toEqual(['old', 'new']);
    persistence.forgetTokens('device_1', new Set(['old']));
    expect(persistence.awayTokens('device_1')).toEqual(['new']);
    persistence.cleanSubscriptions({ id: 'device_1/y' });
    expect(persistence.sessions).toBe(0);
    away(persistence, 'device_1/x', ['a']);
    const there = client('device_2/x', ['a']);
    persistence.addSubscriptions(there, [{ topic: 'a', qos: 1 }]);
    time.now += limits.unusedSession - 1;
    persistence.sweep();
    expect(persistence.sessions).toBe(2);
    time.now += 1;
    persistence.sweep();
    expect(persistence.sessions).toBe(1);
  });
});

describe('QoS 2 messages that wait for their release', () => {
  it.each([true, false])('are known once (clean: %s)', (clean) => {
    const persistence = opened();
    const one = client('device_1/x', [], { clean });
    const other = client('device_2/x', [], { clean });
    expect(outcome(persistence.incomingGetPacket(one, { messageId: 5 }))).toBe('no such packet');
    expect(outcome(persistence.incomingStorePacket(one, { messageId: 5 }))).toBe('done');
    expect(outcome(persistence.incomingGetPacket(one, { messageId: 5 }))).toBe('done');
    expect(persistence.isUnreleased(other, 5)).toBe(false);
    expect(outcome(persistence.incomingDelPacket(one, { messageId: 5 }))).toBe('done');
    expect(outcome(persistence.incomingDelPacket(one, { messageId: 5 }))).toBe('no such packet');
  });
});

describe('retained messages', () => {
  const retained = (persistence: BoundedPersistence, ...filters: string[]) =>
    persistence.retained
      .matching(filters)
      .map(({ topic }) => topic)
      .sort();

  it('are limited in number and bytes for each device', () => {
    const persistence = opened();
    persistence.storeRetained(message('bot/device_1/a', 500));
    persistence.storeRetained(message('bot/device_1/b', 600));
    persistence.storeRetained(message('bot/device_1/b', 500));
    persistence.storeRetained(message('bot/device_1/c', 20));
    expect(retained(persistence, 'bot/device_1/#')).toEqual(['bot/device_1/a', 'bot/device_1/b']);
    expect(persistence.retained.bytes).toBe(1000);
    persistence.storeRetained(message('bot/device_1/a', 'bot/device_1/a'.length));
    persistence.storeRetained(message('bot/device_1/c', 20));
    expect(retained(persistence, 'bot/device_1/+', 'bot/device_1/c')).toEqual(['bot/device_1/b', 'bot/device_1/c']);
    expect(persistence.retained.bytes).toBe(520);
  });

  it('belong to devices, and come to those only who may ask for them', () => {
    const persistence = opened();
    for (const topic of ['public_broadcast', 'demos/x', 'bot/device_1', 'bot/device_1/a', 'bot/device_11/a'])
      persistence.storeRetained(message(topic, 30));
    expect(retained(persistence, '#')).toEqual(['bot/device_1/a', 'bot/device_11/a']);
    expect(retained(persistence, 'bot/device_1/#')).toEqual(['bot/device_1/a']);
    expect(retained(persistence, 'bot/+/a')).toEqual(['bot/device_1/a', 'bot/device_11/a']);
  });

  it('come to filters with a wildcard in any place', () => {
    const persistence = opened();
    persistence.storeRetained(message('bot/device_1/a', 30));
    persistence.storeRetained(message('bot/device_2/a', 30));
    for (const [filter, found] of [
      ['+/device_1/a', 1],
      ['+/device_1/+', 1],
      ['bot/device_1/a', 1],
      ['+/#', 2],
      ['bot/#', 2],
      ['bot/+/#', 2],
      ['+/+/a', 2],
      ['+', 0],
      ['bot', 0],
      ['bot/+', 0],
      ['bot/device_1', 0],
      ['bot/device_1/b', 0],
      ['demos/+/a', 0],
    ] as const)
      expect([filter, retained(persistence, filter).length]).toEqual([filter, found]);
  });

  it('are looked at only where a filter may meet them', () => {
    const persistence = new BoundedPersistence(storeLimits, { now: () => time.now });
    for (let device = 1; device <= 1_000; device++)
      for (let index = 0; index < 64; index++)
        persistence.storeRetained(message(`bot/device_${device}/a/${index}`, 30));
    const filters = Array.from({ length: 100 }, (_, index) => `demos/${index}`);
    const own = Array.from({ length: 100 }, (_, index) => `bot/device_7/+/${index}`);
    const start = process.cpuUsage();
    for (let round = 0; round < 10; round++) {
      expect(retained(persistence, ...filters, 'public_broadcast', 'public_broadcast/#')).toEqual([]);
      expect(retained(persistence, ...own)).toHaveLength(64);
    }
    const { user, system } = process.cpuUsage(start);
    // To compare all 64,000 with each of them takes seconds.
    expect((user + system) / 1000).toBeLessThan(300);
  });

  it('are forgotten with their device', () => {
    const persistence = opened();
    for (const topic of ['bot/device_1/a', 'bot/device_1/b', 'bot/device_11/a'])
      persistence.storeRetained(message(topic, 30));
    persistence.retained.forget('bot/device_1');
    persistence.retained.forget('bot/device_1');
    expect(retained(persistence, '#')).toEqual(['bot/device_11/a']);
    expect(persistence.retained.bytes).toBe(30);
  });

  it('count for more than their bytes', () => {
    const persistence = new BoundedPersistence({ ...limits, overhead: 490 }, { now: () => time.now });
    for (const name of ['a', 'b', 'c']) persistence.storeRetained(message(`bot/device_1/${name}`, 15));
    expect(persistence.retained.bytes).toBe(505);
    const one = away(persistence, 'device_1/x', ['a']);
    for (let index = 0; index < 3; index++) publish(persistence, 'a', 15);
    persistence.outgoingStream(one);
    expect(persistence.bytes).toBe(505);
  });

  it('make room when all devices are full, those of the device first that retained nothing for long', () => {
    const persistence = opened();
    persistence.storeRetained(message('bot/device_1/a', 500));
    persistence.storeRetained(message('bot/device_2/a', 500));
    persistence.storeRetained(message('bot/device_1/b', 400));
    persistence.storeRetained(message('bot/device_3/a', 500));
    expect(retained(persistence, '#')).toEqual(['bot/device_1/a', 'bot/device_1/b', 'bot/device_3/a']);
    expect(persistence.retained.bytes).toBe(1400);
  });
});
