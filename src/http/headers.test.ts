import { expect, it } from 'vitest';
import { HeaderSet } from './headers.ts';

it('replaces default headers by a reply’s, and leaves the defaults as they are', () => {
  const defaults = new HeaderSet(['cache-control', 'no-store', 'x-frame-options', 'cache-control']);
  expect(defaults.with({ 'Cache-Control': 'no-cache', etag: '"a"' })).toEqual([
    ...['cache-control', 'no-cache', 'x-frame-options', 'cache-control'],
    ...['etag', '"a"'],
  ]);
  expect(defaults.with({})).toEqual(['cache-control', 'no-store', 'x-frame-options', 'cache-control']);
});
