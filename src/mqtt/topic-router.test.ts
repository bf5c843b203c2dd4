import { describe, expect, it } from 'vitest';
import { type Receiver, TopicRouter } from './topic-router.ts';
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
