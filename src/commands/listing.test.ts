import { describe, expect, it } from 'vitest';
import { Listing } from './listing.ts';

interface Bed {
  readonly id: number;
  readonly name: string | null;
  readonly watered: boolean;
}

const listing = new Listing<Bed>({ id: ({ id }) => id, name: ({ name }) => name, watered: ({ watered }) => watered });
const beds: readonly Bed[] = [
  { id: 7, name: 'Rüben\u001b[31m\u009b32m', watered: true },
  { id: 112, name: null, watered: false },
];

describe('a list', () => {
  it('is aligned on a terminal', () => {
    expect(listing.format(beds, {}, true)).toBe(
      [' id  name            watered', '  7  Rüben\ufffd[31m\ufffd32m  yes', `112${' '.repeat(18)}no`].join('\n'),
    );
    expect(listing.format([], {}, true)).toBe('id  name  watered');
  });

  it('has room for the accounts of a large server', () => {
    const many = Array.from({ length: 200_000 }, (_, id) => ({ id, name: null, watered: false }));
    expect(listing.format(many, {}, true).split('\n')).toHaveLength(200_001);
  });

  it('is separated by tabs elsewhere', () => {
    expect(listing.format(beds, {}, false)).toBe('id\tname\twatered\n7\tRüben\ufffd[31m\ufffd32m\tyes\n112\t\tno');
  });

  it('has exact values in JSON', () => {
    for (const isTerminal of [true, false]) {
      const json = listing.format(beds, { json: true }, isTerminal);
      expect(JSON.parse(json)).toEqual(beds);
      expect(json).toContain('"Rüben\\u001b[31m\\u009b32m"');
    }
    expect(listing.format([], { json: true }, false)).toBe('[]');
  });
});
