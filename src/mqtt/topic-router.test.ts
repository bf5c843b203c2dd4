import { describe, expect, it } from 'vitest';
import { encodePublish, PublishEncoder, type Receiver, TopicRouter } from './topic-router.ts';
import { matchesFilter } from './topic-tree.ts';

interface Packet {
  readonly topic: string;
}

function receiver(): Receiver<Packet> & { readonly received: string[] } {
  const received: string[] = [];
  return {
    foundBy: 0,
    foundQos: 0,
    received,
    receive({ topic }, qos, done) {
      received.push(`${topic} ${qos}`);
      done();
    },
  };
}

/** Filters that all match `bot/device_5/sync/a/a/a/a/a/a/a`, with the maximum number of levels. */
const deep = Array.from({ length: 100 }, (_, index) =>
  ['bot', 'device_5', 'sync', ...Array.from({ length: 7 }, (_, level) => ((index >> level) & 1 ? '+' : 'a'))].join('/'),
);
const deepTopic = `bot/device_5/sync${'/a'.repeat(7)}`;

describe('a topic router', () => {
  it('delivers a message to each receiver once, with the highest granted QoS', () => {
    const router = new TopicRouter<Packet>();
    const [one, other] = [receiver(), receiver()];
    for (const [index, filter] of deep.entries()) router.subscribe(filter, one, index === 50 ? 1 : 0);
    router.subscribe('bot/#', other, 2);
    router.subscribe('bot/#', other, 0);
    let done = 0;
    router.emit({ topic: deepTopic }, () => done++);
    expect([one.received, other.received, done]).toEqual([[`${deepTopic} 1`], [`${deepTopic} 0`], 1]);
    for (const filter of deep) router.unsubscribe(filter, one);
    router.emit({ topic: deepTopic });
    expect([one.received.length, other.received.length]).toEqual([1, 2]);
  });

  it('does not deliver system messages of the broker library', () => {
    const router = new TopicRouter<Packet>();
    const all = receiver();
    router.subscribe('#', all, 0);
    router.emit({ topic: '$SYS/x' });
    expect(all.received).toEqual([]);
  });

  it('costs less than a comparison with each filter, in the worst case', () => {
    const router = new TopicRouter<Packet>();
    const receivers = Array.from({ length: 9 }, receiver);
    for (const each of receivers) for (const filter of deep) router.subscribe(filter, each, 0);
    const route = () => router.emit({ topic: deepTopic });
    const compare = () => receivers.map(() => deep.filter((filter) => matchesFilter(filter, deepTopic)));
    for (const run of [route, compare]) cpuTime(run);
    expect(cpuTime(route)).toBeLessThan(cpuTime(compare));
    expect(receivers.map(({ received }) => received.length)).toEqual(Array.from({ length: 9 }, () => 2_000));
  });
});

/** Returns the CPU time of 1,000 runs, in µs. */
function cpuTime(run: () => unknown): number {
  const start = process.cpuUsage();
  for (let index = 0; index < 1_000; index++) run();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

describe('an encoded message', () => {
  it('is a PUBLISH packet of MQTT 3.1.1', () => {
    expect(encodePublish('a/b', Buffer.from('xyz'), false).toString('hex')).toBe('30080003612f6278797a');
    expect(encodePublish('ü', Buffer.alloc(0), true).toString('hex')).toBe('31040002c3bc');
  });

  it.each([
    [124, '307f'],
    [125, '308001'],
    [16_380, '30ff7f'],
    [16_381, '30808001'],
    [2_097_148, '30ffff7f'],
    [2_097_149, '3080808001'],
  ])('has the correct length for a payload of %i bytes', (size, header) => {
    const bytes = encodePublish('t', Buffer.alloc(size, 1), false);
    expect(bytes.toString('hex', 0, header.length / 2)).toBe(header);
    expect(bytes.length).toBe(header.length / 2 + 3 + size);
    expect(bytes.at(-1)).toBe(1);
  });

  it('is encoded once for many clients', () => {
    const encoder = new PublishEncoder();
    const payload = Buffer.from('x');
    const bytes = encoder.encode('a', payload, false);
    expect(encoder.encode('a', payload, false)).toBe(bytes);
    expect(encoder.encode('b', payload, false).toString('hex')).toBe('300400016278');
    expect(encoder.encode('b', payload, true).toString('hex')).toBe('310400016278');
    expect(encoder.encode('b', Buffer.from('y'), true).toString('hex')).toBe('310400016279');
  });
});
