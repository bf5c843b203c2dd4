import { expect, it } from 'vitest';
import { byRequest, withNew } from './requests.ts';

const entry = (id: number, request = `r${id}`) => ({ id, request });

it('puts neighbors of one request together', () => {
  const entries = [entry(5, 'b'), entry(4, 'b'), entry(3, 'a'), entry(2, 'b')];
  expect(byRequest(entries).map((group) => group.entries.map(({ id }) => id))).toEqual([[5, 4], [3], [2]]);
});

it('adds new requests, unless some in between may be missing', () => {
  const read = [entry(3), entry(2)];
  expect(withNew(read, [entry(4), entry(3)], 2)?.map(({ id }) => id)).toEqual([4, 3, 2]);
  expect(withNew(read, [entry(9), entry(8)], 2)).toBeNull();
  expect(withNew([], [entry(1)], 2)).toEqual([entry(1)]);
});
