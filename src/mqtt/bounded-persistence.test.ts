import type { AedesPublishPacket } from 'aedes';
import { describe, expect, it } from 'vitest';
import { BoundedPersistence } from './bounded-persistence.ts';
import { ByteBudget } from './fair-sharing.ts';
import { GuardedConnection } from './guarded-connection.ts';
import { mqttLimits, type StoreLimits, storeLimits } from './limits.ts';
import type { RetentionLayout } from './retained-messages.ts';
import { layoutOf } from './retained-messages.ts';
import type { Transport } from './transport.ts';

const time = { now: 1_000_000 };
/** When the credentials of clients expire. */
const expires = Date.UTC(2100, 0, 1);
const limits: StoreLimits = {
  ...storeLimits,
  maxSessionsPerUser: 2,
  maxQueuedMessages: 3,
  maxQueuedBytes: 1000,
  maxQueuedBytesPerUser: 1500,
  maxTotalQueuedBytes: 2000,
  maxRetainedPerUser: 2,
  maxRetainedBytesPerUser: 1000,
  maxTotalRetainedBytes: 1500,
  messageOverhead: 0,
};
const clock = { now: () => time.now };
/** Messages of clients on a few channels of users. */
const layout = layoutOf('bot', new Set(['a', 'b', 'c']));
/** The server's messages below `news/<user>/`. */
const news: RetentionLayout = {
  userOf: (topic) => /^news\/(\w+)\//.exec(topic)?.[1] ?? null,
  usersOf(filter) {
    const [first, user] = filter.split('/');
    return first !== 'news' ? [] : user === undefined || user === '+' || user === '#' ? 'all' : [user];
  },
};
const create = () => new BoundedPersistence(limits, layout, clock);

const closedTransport: Transport = {
  address: '127.0.0.1',
  queuedBytes: 0,
  partialBytes: 0,
  open() {},
  send() {},
  pause() {},
  resume() {},
  accept() {},
  end() {},
  destroy() {},
};
const budget = () =>
  new ByteBudget<GuardedConnection>(
    1,
    () => 0,
    () => undefined,
  );

type Subject = Parameters<BoundedPersistence['addSubscriptions']>[0];

/** Returns a client with the properties that the persistence uses. */
function client(id: string, filters: readonly string[] = [], { credential = 'a', clean = false } = {}): Subject {
  const conn = new GuardedConnection(
    closedTransport,
    {
      limits: mqttLimits,
      outgoing: budget(),
      incoming: budget(),
      scheduleFlush() {},
      scheduleRead() {},
      onClosing() {},
      onEnded() {},
      onClosed() {},
    },
    null,
  );
  const [name = ''] = id.split('/');
  conn.identity = {
    name,
    isShared: false,
    credential: { id: credential, expires },
    canPublish: () => true,
    canSubscribe: () => true,
    canReceive: () => true,
  };
  for (const filter of filters) conn.filters.set(filter, { topic: filter, qos: 1 });
  const subject: Pick<Subject, 'id' | 'clean' | 'conn'> = { id, clean, conn };
  return subject as Subject;
}

let counter = 0;
function message(topic: string, size: number): AedesPublishPacket {
  const payload = Buffer.alloc(size - topic.length, 0x61);
  const packet = { cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false } as const;
  return { ...packet, brokerId: 'x', brokerCounter: ++counter };
}

/** Publishes to offline sessions. */
function publish(persistence: BoundedPersistence, topic: string, size: number): void {
  const packet = message(topic, size);
  persistence.subscriptionsByTopic(topic).then((sessions) => persistence.outgoingEnqueueCombi(sessions, packet));
}

const topicsOf = async (persistence: BoundedPersistence, subject: Subject): Promise<string[]> => {
  const found: string[] = [];
  for await (const packet of persistence.outgoingStream(subject)) found.push(packet.topic ?? packet.cmd);
  return found;
};

/** Creates an offline session with filters. */
function offline(persistence: BoundedPersistence, id: string, filters: readonly string[], credential = 'a'): Subject {
  const subject = client(id, filters, { credential });
  persistence.addSubscriptions(
    subject,
    filters.map((topic) => ({ topic, qos: 1 })),
  );
  time.now++;
  persistence.onDisconnect(subject);
  return subject;
}

const outcome = (result: { then(use: () => unknown, fail: (error: Error) => unknown): void }): string => {
  let text = 'pending';
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

describe('persistent sessions', () => {
  it('queue in order, up to their limits', async () => {
    const persistence = create();
    const one = offline(persistence, 'device_1/x', ['a', 'b']);
    publish(persistence, 'a', 400);
    publish(persistence, 'b', 400);
    publish(persistence, 'a', 400);
    publish(persistence, 'b', 100);
    publish(persistence, 'b', 10);
    expect(await topicsOf(persistence, one)).toEqual(['a', 'b', 'b']);
    expect(persistence.bytes).toBe(900);
  });

  it('remove only acknowledged messages', async () => {
    const persistence = create();
    const one = offline(persistence, 'device_1/x', ['a', 'b']);
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

  it('replace a released QoS 2 message with its PUBREL', async () => {
    const persistence = create();
    const one = offline(persistence, 'device_1/x', ['a']);
    publish(persistence, 'a', 10);
    persistence.outgoingUpdate(one, { cmd: 'publish', brokerCounter: counter, messageId: 7 });
    persistence.outgoingUpdate(one, { cmd: 'pubrel', messageId: 7 });
    expect(await topicsOf(persistence, one)).toEqual(['pubrel']);
    persistence.outgoingClearMessageId(one, { messageId: 7 });
    expect(persistence.bytes).toBe(0);
  });

  it('share the limit of their user', async () => {
    const persistence = create();
    const one = offline(persistence, 'device_1/x', ['a']);
    const two = offline(persistence, 'device_1/y', ['b']);
    publish(persistence, 'a', 1000);
    publish(persistence, 'b', 600);
    publish(persistence, 'b', 500);
    expect([await topicsOf(persistence, one), await topicsOf(persistence, two)]).toEqual([['a'], ['b']]);
    expect(persistence.bytes).toBe(1500);
  });

  it('are deleted when the total limit is reached, the longest offline first', async () => {
    const persistence = create();
    const first = offline(persistence, 'device_1/x', ['a']);
    const second = offline(persistence, 'device_2/x', ['b']);
    const third = offline(persistence, 'device_3/x', ['c']);
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

  it('are limited per user: the longest offline is deleted, connected ones are not', () => {
    const persistence = create();
    offline(persistence, 'device_1/x', ['a']);
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

  it('store granted filters only, including filters with QoS 0', () => {
    const persistence = create();
    const one = client('device_1/x', ['a', 'b']);
    persistence.addSubscriptions(one, [
      { topic: 'a', qos: 1 },
      { topic: 'rejected', qos: 1 },
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
      ['rejected', 0],
    ] as const)
      persistence.subscriptionsByTopic(topic).then((found) => expect(found).toHaveLength(count));
    persistence.removeSubscriptions(one, ['a', 'never']);
    persistence.subscriptionsByTopic('a').then((found) => expect(found).toEqual([]));
  });

  it('end with their credential, with a clean connection, and after a day', () => {
    const persistence = create();
    offline(persistence, 'device_1/x', ['a'], 'old');
    offline(persistence, 'device_1/y', ['a'], 'new');
    expect(persistence.credentialsOf('device_1')).toEqual(['old', 'new']);
    persistence.endCredentials('device_1', new Set(['old']));
    expect(persistence.credentialsOf('device_1')).toEqual(['new']);
    persistence.cleanSubscriptions({ id: 'device_1/y' });
    expect(persistence.sessions).toBe(0);
    offline(persistence, 'device_1/x', ['a']);
    const connected = client('device_2/x', ['a']);
    persistence.addSubscriptions(connected, [{ topic: 'a', qos: 1 }]);
    time.now += limits.sessionExpiry - 1;
    persistence.sweep();
    expect(persistence.sessions).toBe(2);
    time.now += 1;
    persistence.sweep();
    expect(persistence.sessions).toBe(1);
    time.now = expires - 1;
    persistence.onConnect(connected);
    persistence.sweep();
    expect(persistence.sessions).toBe(1);
    time.now = expires;
    persistence.sweep();
    expect(persistence.sessions).toBe(0);
  });
});

describe('unreleased QoS 2 messages', () => {
  it.each([true, false])('are recognized until their release (clean: %s)', (clean) => {
    const persistence = create();
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

  it('are limited in number and bytes per user', () => {
    const persistence = create();
    persistence.retained.store(message('bot/device_1/a', 500));
    persistence.retained.store(message('bot/device_1/b', 600));
    persistence.retained.store(message('bot/device_1/b', 500));
    persistence.retained.store(message('bot/device_1/c', 20));
    expect(retained(persistence, 'bot/device_1/#')).toEqual(['bot/device_1/a', 'bot/device_1/b']);
    expect(persistence.retained.bytes).toBe(1000);
    persistence.retained.store(message('bot/device_1/a', 'bot/device_1/a'.length));
    persistence.retained.store(message('bot/device_1/c', 20));
    expect(retained(persistence, 'bot/device_1/+', 'bot/device_1/c')).toEqual(['bot/device_1/b', 'bot/device_1/c']);
    expect(persistence.retained.bytes).toBe(520);
  });

  it('of the server do not count among clients’ sessions, nor do clients add to them', () => {
    const persistence = new BoundedPersistence(limits, layout, clock, news);
    for (const topic of ['news/ada/today', 'news/bob/today']) {
      persistence.retained.store(message(topic, 20));
      persistence.storeRetained(message(topic, 700));
    }
    for (const user of [1, 2, 3]) {
      persistence.retained.store(message(`bot/device_${user}/a`, 700));
      persistence.storeRetained(message(`bot/device_${user}/b`, 700));
    }
    const found = (...filters: string[]) => {
      const topics: string[] = [];
      persistence.createRetainedStreamCombi(filters).pipe({ write: ({ topic }) => topics.push(topic) > 0 });
      return topics.sort();
    };
    expect(persistence.retained.bytes).toBe(1400);
    expect(found('news/#')).toEqual(['news/ada/today', 'news/bob/today']);
    expect(found('news/ada/+', 'bot/device_3/#')).toEqual(['bot/device_3/a', 'news/ada/today']);
    expect(found('#')).toEqual(['bot/device_2/a', 'bot/device_3/a']);
    persistence.storeRetained(message('news/ada/today', 'news/ada/today'.length));
    expect(found('news/#')).toEqual(['news/bob/today']);
  });

  it('belong to the user in the topic', () => {
    const persistence = create();
    const others = ['public_broadcast', 'demos/x/a', 'bot/device_1', 'bot/device_1/a/b', 'bot/device_1/d', 'bot//a'];
    for (const topic of [...others, 'bot/device_1/a', 'bot/device_11/a'])
      persistence.retained.store(message(topic, 30));
    expect(retained(persistence, '#')).toEqual(['bot/device_1/a', 'bot/device_11/a']);
    expect(retained(persistence, 'bot/device_1/#')).toEqual(['bot/device_1/a']);
    expect(retained(persistence, 'bot/+/a')).toEqual(['bot/device_1/a', 'bot/device_11/a']);
  });

  it('match filters with a wildcard at any level', () => {
    const persistence = create();
    persistence.retained.store(message('bot/device_1/a', 30));
    persistence.retained.store(message('bot/device_2/a', 30));
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

  it('are compared only with filters that may match them', () => {
    const filters = Array.from({ length: 100 }, (_, index) => `demos/${index}`);
    const own = Array.from({ length: 100 }, (_, index) => `+/device_7/${index}`);
    /** Returns the CPU time of queries by device 7 among the messages of many devices, in µs. */
    const cpuTime = (devices: readonly number[]): number => {
      const names = new Set(Array.from({ length: 64 }, (_, index) => String(index)));
      const persistence = new BoundedPersistence(storeLimits, layoutOf('bot', names), clock);
      for (const device of devices)
        for (const name of names) persistence.retained.store(message(`bot/device_${device}/${name}`, 30));
      const start = process.cpuUsage();
      for (let round = 0; round < 20; round++) {
        expect(retained(persistence, ...filters, 'public_broadcast', 'public_broadcast/#')).toEqual([]);
        expect(retained(persistence, ...own)).toHaveLength(64);
      }
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    cpuTime([7]);
    const baseline = cpuTime([7]);
    // A comparison of all 64,000 messages with each filter would take about a thousand times as long.
    expect(cpuTime(Array.from({ length: 1_000 }, (_, index) => index + 1))).toBeLessThan(20 * baseline);
  });

  it('end with the credential of their author, and when it expires', () => {
    const persistence = create();
    const author = (id: string, expires = Number.POSITIVE_INFINITY) => ({ id, expires });
    const { retained: store } = persistence;
    store.store(message('bot/device_1/a', 30), author('one'));
    store.store(message('bot/device_1/b', 30), author('other', time.now + 1));
    store.store(message('bot/device_11/a', 30), author('one'));
    store.store(message('bot/device_2/a', 30));
    expect(persistence.users).toEqual(['device_1', 'device_11', 'device_2']);
    expect(['device_1', 'device_2'].map((user) => persistence.credentialsOf(user))).toEqual([['one', 'other'], []]);
    persistence.endCredentials('device_1', new Set(['one']));
    persistence.endCredentials('device_2', new Set(['one']));
    expect(retained(persistence, '#')).toEqual(['bot/device_1/b', 'bot/device_11/a', 'bot/device_2/a']);
    persistence.sweep();
    expect(store.bytes).toBe(90);
    time.now++;
    persistence.sweep();
    expect(retained(persistence, '#')).toEqual(['bot/device_11/a', 'bot/device_2/a']);
    expect([store.bytes, persistence.users]).toEqual([60, ['device_11', 'device_2']]);
    // The author is the last one.
    store.store(message('bot/device_11/a', 30), author('new'));
    expect(persistence.credentialsOf('device_11')).toEqual(['new']);
  });

  it('count with an overhead', () => {
    const persistence = new BoundedPersistence({ ...limits, messageOverhead: 490 }, layout, clock);
    for (const name of ['a', 'b', 'c']) persistence.retained.store(message(`bot/device_1/${name}`, 15));
    expect(persistence.retained.bytes).toBe(505);
    const one = offline(persistence, 'device_1/x', ['a']);
    for (let index = 0; index < 3; index++) publish(persistence, 'a', 15);
    persistence.outgoingStream(one);
    expect(persistence.bytes).toBe(505);
  });

  it('are deleted when the total limit is reached, the least recently publishing user’s first', () => {
    const persistence = create();
    persistence.retained.store(message('bot/device_1/a', 500));
    persistence.retained.store(message('bot/device_2/a', 500));
    persistence.retained.store(message('bot/device_1/b', 400));
    persistence.retained.store(message('bot/device_3/a', 500));
    expect(retained(persistence, '#')).toEqual(['bot/device_1/a', 'bot/device_1/b', 'bot/device_3/a']);
    expect(persistence.retained.bytes).toBe(1400);
  });
});
