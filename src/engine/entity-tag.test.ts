import { describe, expect, it } from 'vitest';
import { matchesTag, sentTags, tagOf } from './entity-tag.ts';

const call = (sent: string | undefined) => ({ headers: sent === undefined ? {} : { 'if-none-match': sent } });

describe('If-None-Match', () => {
  it.each([
    [undefined, null],
    ['', []],
    ['"a"', ['"a"']],
    ['W/"a" , "b,c",W/""', ['"a"', '"b,c"', '""']],
    [' * ', ['*']],
    ['"*"', ['"*"']],
    ['a, "b', []],
  ])('%s', (sent, tags) => expect(sentTags(call(sent))).toEqual(tags));

  it('is compared weakly', () => {
    for (const tag of ['"a"', 'W/"a"']) {
      for (const sent of ['"a"', 'W/"a"', '"b", W/"a"', '*']) expect(matchesTag(call(sent), tag), sent).toBe(true);
      for (const sent of ['', '"b"', 'a', '"A"', '"*"']) expect(matchesTag(call(sent), tag), sent).toBe(false);
      expect(matchesTag(call(undefined), tag)).toBeNull();
    }
  });
});

it('tags the same bytes with the same tag', () => {
  expect(tagOf('Möhre')).toBe(tagOf(Buffer.from('Möhre')));
  expect(tagOf('Möhre')).toMatch(/^W\/"[\w-]{22}"$/);
  expect(tagOf('Möhre')).not.toBe(tagOf('Möhren'));
});
