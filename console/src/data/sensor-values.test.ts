import { expect, it } from 'vitest';
import { percentOf } from './sensor-values.ts';

it('turns readings into percent between dry and wet, whichever is more', () => {
  const rising = percentOf({ dry_reading: 200, wet_reading: 700 });
  expect([200, 450, 700, 100, 1023].map((value) => rising?.(value))).toEqual([0, 50, 100, 0, 100]);
  const falling = percentOf({ dry_reading: 900, wet_reading: 400 });
  expect([900, 650, 400].map((value) => falling?.(value))).toEqual([0, 50, 100]);
  expect(percentOf({ dry_reading: 200, wet_reading: null })).toBeNull();
  expect(percentOf({ dry_reading: null, wet_reading: 200 })).toBeNull();
  expect(percentOf({ dry_reading: 300, wet_reading: 300 })).toBeNull();
});
