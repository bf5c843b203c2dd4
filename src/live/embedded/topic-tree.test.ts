import { describe, expect, it } from 'vitest';
import { meets, TopicTree } from './topic-tree.ts';

const named = (name: string) => ({ name });

describe('a topic tree', () => {
  const cases: readonly [filter: string, topic: string, isMet: boolean][] = [
    ['bot/device_1/logs', 'bot/device_1/logs', true],
    ['bot/device_1/logs', 'bot/device_1/logs/x', false],
    ['bot/device_1/logs', 'bot/device_1', false],
    ['bot/device_1/#', 'bot/device_1', true],
    ['bot/device_1/#', 'bot/device_1/sync/Point/7', true],
    ['bot/device_1/#', 'bot/device_11/logs', false],
    ['bot/+/logs', 'bot/device_1/logs', true],
    ['bot/+/logs', 'bot/device_1/a/logs', false],
    ['+/+/#', 'bot/device_1', true],
    ['+/+/#', 'bot', false],
    ['#', 'a', true],
    ['a//b', 'a//b', true],
    ['a/+/b', 'a//b', true],
    ['a/+', 'a', false],
    ['a', '+', false],
    ['#', '#', true],
  ];
  for (const [filter, topic, isMet] of cases)
    it(`${filter} ${isMet ? 'meets' : 'does not meet'} ${topic}`, () => {
      const tree = new TopicTree<object>();
      const value = named(filter);
      tree.add(filter, value);
      expect(tree.match(topic)).toEqual(isMet ? [value] : []);
      expect(meets(filter, topic)).toBe(isMet);
    });

  it('gives all values, once for each filter', () => {
    const tree = new TopicTree<{ name: string }>();
    const [a, b] = [named('a'), named('b')];
    tree.add('x/y', a);
    tree.add('x/y', b);
    tree.add('x/y', b);
    tree.add('x/#', a);
    expect(
      tree
        .match('x/y')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'a', 'b']);
  });

  it('is empty again when everything was removed', () => {
    const tree = new TopicTree<object>();
    const [a, b] = [named('a'), named('b')];
    for (const filter of ['x/y', 'x/#', 'x', '+/y']) {
      tree.add(filter, a);
      tree.add(filter, b);
    }
    for (const filter of ['x', 'x/y', '+/y', 'x/#', 'x/never']) {
      tree.remove(filter, b);
      tree.remove(filter, a);
      tree.remove(filter, a);
    }
    expect(tree.match('x/y')).toEqual([]);
    expect(tree.isEmpty).toBe(true);
  });
});
