import { expect, it } from 'vitest';
import { parseSteps, stepsText } from './clipboard.ts';
import { createNode } from './node.ts';

const wait = createNode('wait', { milliseconds: 5 });

it('reads a step, a list, and a whole program', () => {
  expect(parseSteps(stepsText([wait]))).toEqual([wait]);
  expect(parseSteps(JSON.stringify(wait))).toEqual([wait]);
  expect(parseSteps(JSON.stringify({ name: 'Pause', body: [wait] }))).toEqual([wait]);
  expect(parseSteps(JSON.stringify({ kind: 'sequence', args: {}, body: [wait] }))).toEqual([wait]);
});

it('refuses text that is not a step', () => {
  for (const text of ['', 'water', '[]', '{}', '[1]', '[{"kind":"wait"}]', '[{"kind":"wait","args":{"a":null}}]'])
    expect(parseSteps(text)).toBeNull();
  expect(parseSteps(JSON.stringify([{ ...wait, body: ['x'] }]))).toBeNull();
});
