import { expect, it } from 'vitest';
import { RecentValues } from './recent-values.ts';

it('keeps values that are used, and forgets others', () => {
  const values = new RecentValues<number>(10);
  values.set('used', 1);
  values.set('unused', 2);
  for (let other = 0; other < 100; other++) {
    values.set(`other ${other}`, other);
    expect(values.get('used')).toBe(1);
  }
  expect(values.get('unused')).toBeUndefined();
  expect(values.get('other 99')).toBe(99);
  expect(values.get('other 89')).toBeUndefined();
});
