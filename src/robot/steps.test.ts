import { expect, it } from 'vitest';
import { nodes } from '../programs/corpus.ts';
import { steps } from './steps.ts';

it('are those that the language allows in programs and requests', () => {
  const allowed = Object.entries(nodes).flatMap(([kind, row]) => ('step' in row ? [kind] : []));
  expect(Object.keys(steps).sort()).toEqual(allowed.sort());
});
