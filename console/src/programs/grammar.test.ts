import { expect, it } from 'vitest';
import type { Schema } from '../data/schema.ts';
import { Grammar, isOf } from './grammar.ts';
import { createNode } from './node.ts';

const tags = (...names: string[]) => names.map((tag) => ({ tag, name: tag }));
const kind = (name: string, allowed_args: string[], allowed_body_types: string[] = []) => ({
  name,
  allowed_args,
  allowed_body_types,
  tags: [],
  docs: '',
});
const schema = (args: Readonly<Record<string, Schema>>): Schema => ({
  description: 'What it does.',
  properties: { args: { properties: args } },
});
const grammar = new Grammar(
  {
    enums: [{ name: 'ALLOWED_OPS', allowed_values: ['<', 'is'] }],
    args: [
      { name: 'milliseconds', allowed_values: tags('integer') },
      { name: 'op', allowed_values: tags('ALLOWED_OPS') },
      { name: 'lhs', allowed_values: tags('string', 'named_pin') },
      { name: '_then', allowed_values: tags('execute', 'nothing') },
      { name: 'x', allowed_values: tags('integer', 'float') },
      { name: 'pin_id', allowed_values: tags('integer') },
      { name: 'tool_id', allowed_values: tags('integer') },
      { name: 'speed_setting', allowed_values: tags('lua', 'numeric') },
    ],
    nodes: [
      kind('sequence', [], ['_if', 'wait', 'change_ownership']),
      kind('_if', ['lhs', 'op', '_then']),
      kind('wait', ['milliseconds']),
      kind('coordinate', ['x']),
      kind('named_pin', ['pin_id']),
      kind('tool', ['tool_id']),
      kind('speed_overwrite', ['speed_setting']),
      kind('nothing', []),
      kind('execute', []),
    ],
  },
  {
    Node: {
      discriminator: {
        mapping: {
          wait: '#/components/schemas/Wait',
          _if: '#/components/schemas/If',
          tool: '#/components/schemas/Tool',
        },
      },
    },
    Tool: schema({ tool_id: { type: 'integer', minimum: 1 } }),
    Step: { discriminator: { mapping: { wait: '#/components/schemas/Wait', _if: '#/components/schemas/If' } } },
    Wait: schema({ milliseconds: { type: 'integer', minimum: -9007199254740991, maximum: 180000 } }),
    If: schema({ lhs: { anyOf: [{ type: 'string', enum: ['pin0', 'x'] }, { type: 'object' }] } }),
  },
);

it('lists the steps that can be stored', () => {
  expect(grammar.steps).toEqual(['_if', 'wait']);
  expect(grammar.description('wait')).toBe('What it does.');
});

it('takes limits and choices of values from the schemas', () => {
  expect(grammar.alternatives('wait', 'milliseconds')).toEqual([
    { type: 'integer', schema: { type: 'integer', maximum: 180000 } },
  ]);
  expect(grammar.alternatives('_if', 'lhs')).toEqual([
    { type: 'choice', choices: ['pin0', 'x'] },
    { type: 'node', kind: 'named_pin' },
  ]);
  expect(grammar.alternatives('coordinate', 'x').map(({ type }) => type)).toEqual(['number']);
});

it('makes new steps that need few changes', () => {
  expect(grammar.newNode('wait')).toEqual(createNode('wait', { milliseconds: 1000 }));
  expect(grammar.newNode('_if')).toEqual(createNode('_if', { lhs: 'x', op: '<', _then: createNode('nothing') }));
});

it('makes steps that name no record before one is chosen, and move at full speed', () => {
  expect(grammar.newNode('tool')).toEqual(createNode('tool', { tool_id: 0 }));
  const speed = createNode('numeric', { number: 100 });
  expect(grammar.newNode('speed_overwrite')).toEqual(createNode('speed_overwrite', { speed_setting: speed }));
});

it('knows the alternative of a value', () => {
  const [choice, node] = grammar.alternatives('_if', 'lhs');
  expect(choice && isOf(choice, 'pin0')).toBe(true);
  expect(choice && isOf(choice, 'pin1')).toBe(false);
  expect(node && isOf(node, createNode('named_pin'))).toBe(true);
});
