import { describe, expect, it } from 'vitest';
import { type Receiver, TopicRouter } from './topic-router.ts';

interface Packet {
  readonly topic: string;
}

function receiver(): Receiver<Packet> & { readonly taken: string[] } {
  const taken: string[] = [];
  return {
    foundBy: 0,
    foundQos: 0,
    taken,
    take({ topic }, qos, done) {
      taken.push(`${topic} ${qos}`);
      done();
    },
  };
}

/** Filters that all meet `bot/device_5/sync/a/a/a/a/a/a/a`, with as many levels as are allowed. */
const deep = Array.from({ length: 100 }, (_, index) =>
  ['bot', 'device_5', 'sync', ...Array.from({ length: 7 }, (_, level) => ((index >> level) & 1 ? '+' : 'a'))].join('/'),
);
const deepTopic = `bot/device_5/sync${'/a'.repeat(7)}`;

describe('a topic router', () => {
  it('hands a message to each receiver once, with the highest QoS that was granted', () => {
    const router = new TopicRouter<Packet>();
    const [one, other] = [receiver(), receiver()];
    for (const [index, filter] of deep.entries()) router.subscribe(filter, one, index === 50 ? 1 : 0);
    router.subscribe('bot/#', other, 2);
    router.subscribe('bot/#', other, 0);
    let done = 0;
    router.emit({ topic: deepTopic }, () => done++);
    expect([one.taken, other.taken, done]).toEqual([[`${deepTopic} 1`], [`${deepTopic} 0`], 1]);
    for (const filter of deep) router.unsubscribe(filter, one);
    router.emit({ topic: deepTopic });
    expect([one.taken.length, other.taken.length]).toEqual([1, 2]);
  });

  it('hands nobody what the broker library tells others of its kind', () => {
    const router = new TopicRouter<Packet>();
    const all = receiver();
    router.subscribe('#', all, 0);
    router.emit({ topic: '$SYS/x' });
    expect(all.taken).toEqual([]);
  });

  it('is quick in the worst case that is allowed', () => {
    const router = new TopicRouter<Packet>();
    const receivers = Array.from({ length: 9 }, receiver);
    for (const each of receivers) for (const filter of deep) router.subscribe(filter, each, 0);
    for (let index = 0; index < 2_000; index++) router.emit({ topic: deepTopic });
    const start = process.cpuUsage();
    for (let index = 0; index < 2_000; index++) router.emit({ topic: deepTopic });
    const { user, system } = process.cpuUsage(start);
    expect(receivers.map(({ taken }) => taken.length)).toEqual(Array.from({ length: 9 }, () => 4_000));
    // About 20 µs; a call for each filter takes several times as long.
    expect((user + system) / 2_000).toBeLessThan(100);
  });
});
