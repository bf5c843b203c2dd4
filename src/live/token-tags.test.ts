import { expect, it } from 'vitest';
import { tagsOfToken, tokenOfTags } from './token-tags.ts';

it('writes tokens as tags of three digits at most, and reads them among others', () => {
  expect(tagsOfToken({ kind: 'session', id: 7 })).toEqual(['session_0_7']);
  expect(tagsOfToken({ kind: 'personal', id: 12_000_345 })).toEqual([
    'personal_0_345',
    'personal_1_0',
    'personal_2_12',
  ]);
  for (const id of [1, 999, 1000, 1001, 1_000_000, 123_456_789, Number.MAX_SAFE_INTEGER])
    for (const kind of ['session', 'personal'] as const) {
      const tags = ['gardener', ...tagsOfToken({ kind, id }).toReversed(), 'scoped', 'scope_read'];
      expect(tokenOfTags(tags.join(' '))).toEqual({ kind, id });
    }
});

it('finds no token in other tags', () => {
  for (const tags of [
    '',
    'management administrator',
    'session_',
    'session_0_1234',
    'xsession_0_1',
    'scope_0_1',
    'session_99_999',
  ])
    expect(tokenOfTags(tags)).toBeNull();
});
