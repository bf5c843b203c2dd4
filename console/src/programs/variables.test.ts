import { describe, expect, it } from 'vitest';
import { createNode } from './node.ts';
import {
  appliedValue,
  declaredParameters,
  fittingVariables,
  freeLabel,
  renamedUses,
  withApplied,
} from './variables.ts';

const number = (value: number) => createNode('numeric', { number: value });
const parameter = (label: string, value: number) =>
  createNode('parameter_declaration', { label, default_value: number(value) });

describe('variables', () => {
  it('that can be set are the first of their name, without fixed ones', () => {
    const fixed = createNode('variable_declaration', { label: 'c', data_value: number(3) });
    expect(declaredParameters([parameter('a', 1), parameter('a', 2), fixed])).toEqual([
      { label: 'a', defaultValue: number(1) },
    ]);
  });

  it('are set in place, and return to their default', () => {
    const body = withApplied(withApplied([], 'a', number(1)), 'b', number(2));
    const changed = withApplied(body, 'a', number(9));
    expect(changed.map(({ args }) => args.label)).toEqual(['a', 'b']);
    expect(appliedValue(changed, 'a')).toEqual(number(9));
    expect(withApplied(changed, 'a', undefined).map(({ args }) => args.label)).toEqual(['b']);
  });

  it('are offered at matching places: variables set at a run where variables are accepted, fixed ones by their value', () => {
    const fixed = (label: string) => createNode('variable_declaration', { label, data_value: number(3) });
    const all = [parameter('asked', 1), fixed('three'), parameter('three', 1)];
    expect(fittingVariables(all, ['identifier', 'coordinate'])).toEqual(['asked']);
    expect(fittingVariables(all, ['numeric', 'lua'])).toEqual(['three']);
    expect(fittingVariables(all, ['identifier', 'numeric'])).toEqual(['asked', 'three']);
    expect(fittingVariables(all, ['coordinate'])).toEqual([]);
  });

  it('get names that are free', () => {
    expect(freeLabel([], 'place')).toBe('place');
    expect(freeLabel([parameter('place', 1), parameter('place 2', 1)], 'place')).toBe('place 3');
  });

  it('are renamed wherever they are used', () => {
    const use = (label: string) => createNode('identifier', { label });
    const move = (label: string) =>
      createNode('move', {}, [createNode('axis_overwrite', { axis: 'x', axis_operand: use(label) })]);
    expect(renamedUses(move('a'), 'a', 'b')).toEqual(move('b'));
    expect(renamedUses(move('c'), 'a', 'b')).toEqual(move('c'));
  });
});
