import { describe, expect, it } from 'vitest';
import { acceptedEncodings } from './content-encoding.ts';

describe('the encodings that a client accepts', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['gzip, deflate, br', ['br', 'gzip']],
    ['GZIP', ['gzip']],
    ['br;q=0.1, gzip;q=1', ['gzip', 'br']],
    ['br;q=0.1,gzip', ['gzip', 'br']],
    ['br ; q=0.5 , gzip;Q=0.5', ['br', 'gzip']],
    ['gzip;level=1;q=0.2, br;q=0.3', ['br', 'gzip']],
    ['br;q=0, gzip', ['gzip']],
    ['br;q=0.0, gzip;q=0.000', []],
    ['*', ['br', 'gzip']],
    ['*;q=0', []],
    ['*;q=0, gzip', ['gzip']],
    ['br;q=0, *', ['gzip']],
    ['br;q=0.2, *;q=0.9', ['gzip', 'br']],
    ['identity', []],
    ['identity, gzip;q=0.5', []],
    ['identity;q=0.5, gzip, br;q=0.1', ['gzip']],
    ['identity;q=0, gzip', ['gzip']],
    ['br;q=high', []],
    ['zstd', []],
  ])('%s', (sent, expected) => {
    const headers = sent === undefined ? {} : { 'accept-encoding': sent };
    expect(acceptedEncodings({ headers })).toEqual(expected);
  });
});
