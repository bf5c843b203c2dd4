import { expect, it } from 'vitest';
import { nodes } from '../programs/corpus.ts';
import { steps } from './steps.ts';

it('each node that the language allows as a step has an implementation, and no other', () => {
  const allowed = Object.entries(nodes).flatMap(([kind, row]) => ('step' in row ? [kind] : []));
  expect(Object.keys(steps).sort()).toEqual(allowed.sort());
});
