import { expect, it } from 'vitest';
import { byName, compareNames } from './natural-order.ts';

it('orders numbers in names by their value, and letters without regard to case', () => {
  const names = ['Bed 10', 'bed 3', 'Bed 2', 'Aubergine', 'Épinard', 'Fève'];
  expect([...names].sort(compareNames)).toEqual(['Aubergine', 'Bed 2', 'bed 3', 'Bed 10', 'Épinard', 'Fève']);
});

it('orders records by name, and leaves the given list as it is', () => {
  const records = [{ name: 'Water all' }, { name: null }, { name: 'Bed 10' }, { name: 'Bed 2' }];
  expect(byName(records).map(({ name }) => name)).toEqual([null, 'Bed 2', 'Bed 10', 'Water all']);
  expect(records[0]).toEqual({ name: 'Water all' });
});
