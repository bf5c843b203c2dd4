import { expect, it } from 'vitest';
import { compareNames } from './natural-order.ts';

it('orders numbers in names by their value, and letters without regard to case', () => {
  const names = ['Bed 10', 'bed 3', 'Bed 2', 'Aubergine', 'Épinard', 'Fève'];
  expect([...names].sort(compareNames)).toEqual(['Aubergine', 'Bed 2', 'bed 3', 'Bed 10', 'Épinard', 'Fève']);
});
