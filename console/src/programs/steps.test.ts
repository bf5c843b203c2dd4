import { describe, expect, it } from 'vitest';
import { createNode } from './node.ts';
import { branchesNear, insertSteps, keyed, moveSteps, nestStep, type Step, shiftSteps, unnestStep } from './steps.ts';

const steps: readonly Step[] = ['a', 'b', 'c', 'd'].map((key) => ({
  key,
  node: createNode('wait', { milliseconds: 1 }),
}));
const keysOf = (list: readonly Step[]): string => list.map(({ key }) => key).join('');

describe('lists of steps', () => {
  it('inserts beside a step, and at the end if the step was deleted', () => {
    const added = [{ key: 'x', node: createNode('sync') }];
    expect(keysOf(insertSteps(steps, added, { key: 'b', side: 'before' }))).toBe('axbcd');
    expect(keysOf(insertSteps(steps, added, { key: 'b', side: 'after' }))).toBe('abxcd');
    expect(keysOf(insertSteps(steps, added, { key: 'deleted', side: 'after' }))).toBe('abcdx');
  });

  it('moves steps together, in their order', () => {
    expect(keysOf(moveSteps(steps, new Set(['d', 'a']), { key: 'c', side: 'before' }))).toBe('badc');
    expect(keysOf(moveSteps(steps, new Set(['b', 'c']), { key: 'c', side: 'after' }))).toBe('abcd');
    expect(keysOf(moveSteps(steps, new Set(['a']), 'end'))).toBe('bcda');
    expect(moveSteps(steps, new Set(['c', 'd']), 'end')).toBe(steps);
  });

  it('shifts steps by one, and leaves them at the ends', () => {
    expect(keysOf(shiftSteps(steps, new Set(['b', 'c']), -1))).toBe('bcad');
    expect(keysOf(shiftSteps(steps, new Set(['b', 'c']), 1))).toBe('adbc');
    expect(keysOf(shiftSteps(steps, new Set(['a']), -1))).toBe('abcd');
  });

  it('gives new steps keys of their own', () => {
    const [first, second] = keyed([createNode('sync'), createNode('sync')]);
    expect(first?.key).not.toBe(second?.key);
  });
});

describe('programs in branches', () => {
  const nothing = createNode('nothing');
  const run = (sequence_id: number) => createNode('execute', { sequence_id });
  const list: readonly Step[] = [
    { key: 'if', node: createNode('_if', { lhs: 'x', op: '<', rhs: 1, _then: nothing, _else: nothing }) },
    { key: 'one', node: run(1) },
    { key: 'two', node: run(2) },
    { key: 'wait', node: createNode('wait', { milliseconds: 1 }) },
  ];

  it('go into the first free branch, but only steps that run programs', () => {
    const once = nestStep(list, 'one', 'if');
    expect(keysOf(once)).toBe('iftwowait');
    expect(once[0]?.node.args).toMatchObject({ _then: run(1), _else: nothing });
    const twice = nestStep(once, 'two', 'if');
    expect(twice[0]?.node.args).toMatchObject({ _then: run(1), _else: run(2) });
    expect(nestStep(list, 'wait', 'if')).toBe(list);
    expect(nestStep(list, 'one', 'wait')).toBe(list);
  });

  it('are offered the nearest steps with a free branch', () => {
    const both = nestStep(nestStep(list, 'one', 'if'), 'two', 'if');
    const full = both[0];
    expect(branchesNear(list, 2)).toEqual([0]);
    expect(branchesNear(list, 3)).toEqual([]);
    expect(branchesNear([...list.slice(1), ...list.slice(0, 1)], 0)).toEqual([3]);
    expect(branchesNear([...list, ...list], 5)).toEqual([4]);
    expect(branchesNear([...list, ...list], 1)).toEqual([0, 4]);
    expect(full && branchesNear([full, ...list.slice(1)], 1)).toEqual([]);
  });

  it('move out to the place after the step', () => {
    const out = unnestStep(nestStep(list, 'one', 'if'), 'if');
    expect(out.map(({ node }) => node.kind)).toEqual(['_if', 'execute', 'execute', 'wait']);
    expect(out[0]?.node.args).toMatchObject({ _then: nothing, _else: nothing });
    expect(out[1]?.node).toEqual(run(1));
  });
});
