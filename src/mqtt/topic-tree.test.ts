import { describe, expect, it } from 'vitest';
import { countLevels, matchesFilter, TopicTree, type TreeValue } from './topic-tree.ts';

interface Named extends TreeValue {
  readonly name: string;
}

const named = (name: string): Named => ({ name, foundBy: 0, foundQos: 0 });

describe('a topic tree', () => {
  const cases: readonly [filter: string, topic: string, isMatch: boolean][] = [
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
  for (const [filter, topic, isMatch] of cases)
    it(`${filter} ${isMatch ? 'matches' : 'does not match'} ${topic}`, () => {
      const tree = new TopicTree<Named>();
      const value = named(filter);
      tree.add(filter, value);
      expect(tree.match(topic)).toEqual(isMatch ? [value] : []);
      expect(matchesFilter(filter, topic)).toBe(isMatch);
    });

  it('returns each value once, with the highest QoS of its matching filters', () => {
    const tree = new TopicTree<Named>();
    const [a, b] = [named('a'), named('b')];
    tree.add('x/y', a);
    tree.add('x/y', b, 2);
    tree.add('x/y', b, 1);
    tree.add('x/#', a, 1);
    tree.add('+/y', a, 0);
    tree.add('x/z', a, 2);
    const found = (topic: string) =>
      tree
        .match(topic)
        .map(({ name, foundQos }) => `${name}${foundQos}`)
        .sort();
    expect(found('x/y')).toEqual(['a1', 'b1']);
    expect(found('v/y')).toEqual(['a0']);
    expect(found('x/z')).toEqual(['a2']);
  });

  it('is empty after all entries are removed', () => {
    const tree = new TopicTree<Named>();
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

describe('countLevels', () => {
  it.each([
    ['a', 1],
    ['a/b', 2],
    ['/', 2],
    ['a//b/', 4],
  ])('counts the levels of %s', (topic, levels) => {
    expect(countLevels(topic)).toBe(levels);
  });
});
