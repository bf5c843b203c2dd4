import { expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is a loopback address', (address) =>
  expect(isLoopback(address)).toBe(true),
);
it.each(['', '10.0.0.1', '127.0.0.2', '127.0.0.10', 'x127.0.0.1', '127a0b0c1', '::11', 'a::1', '::ffff:10.0.0.1'])(
  '%j is not a loopback address',
  (address) => expect(isLoopback(address)).toBe(false),
);
