import { describe, expect, it } from 'vitest';
import { FetchFailure } from '../engine/server-fetch.ts';
import { fetchFailureResult, parseManifest } from './farmware-manifest.ts';

const fetched = (body: string, status = 200, isTruncated = false) => ({
  status,
  type: null,
  body: Buffer.from(body),
  isTruncated,
});

describe('what a fetched manifest tells', () => {
  it('is the name of its package', () => {
    expect(parseManifest(fetched('{"package":"weeder","version":"1"}'))).toEqual({
      package: 'weeder',
      package_error: null,
      shouldRetry: false,
    });
    expect(parseManifest(fetched('\uFEFF{"package":5}')).package).toBe('5');
    expect(parseManifest(fetched(`{"package":"${'p'.repeat(80)}"}`)).package).toBe('p'.repeat(80));
  });

  it.each([
    ['{"name":"x"}', 'The manifest must have a text under the key `package`.'],
    ['{"package":null}', 'The manifest must have a text under the key `package`.'],
    ['{"__proto__":{"package":"x"}}', 'The manifest must have a text under the key `package`.'],
    ['<html>', 'The manifest is not valid JSON.'],
    [`{"package":"${'p'.repeat(81)}"}`, "The package's name is too long (at most 80 characters)."],
  ])('is a sentence for %s', (body, sentence) => {
    expect(parseManifest(fetched(body))).toEqual({ package: null, package_error: sentence, shouldRetry: false });
  });

  it('is a sentence when the server did not give it', () => {
    expect(parseManifest(fetched('{"package":"x"}', 404))).toEqual({
      package: null,
      package_error: 'The server is online, but the address could not be opened (status 404).',
      shouldRetry: false,
    });
    expect(parseManifest(fetched('{"package":"x"', 200, true))).toEqual({
      package: null,
      package_error: 'The manifest is not valid JSON, or longer than 5000 bytes.',
      shouldRetry: false,
    });
  });

  it.each([
    ['', 'Unknown error: the answer is empty'],
    ['[]', 'Unknown error: the manifest is no object'],
    ['5', 'Unknown error: the manifest is no object'],
  ])('is odd for %j, so that it is tried again', (body, sentence) => {
    expect(parseManifest(fetched(body))).toEqual({ package: null, package_error: sentence, shouldRetry: true });
  });
});

describe('what a failed fetch tells', () => {
  it('is a sentence of its own per reason', () => {
    const told = (['address', 'private', 'redirect', 'unresolved', 'offline', 'timeout', 'refused'] as const).map(
      (problem) => fetchFailureResult(new FetchFailure(problem)),
    );
    expect(told.every(({ shouldRetry, package: name }) => !shouldRetry && name === null)).toBe(true);
    expect(new Set(told.map(({ package_error }) => package_error)).size).toBe(7);
  });

  it('names the kind of any other, which is tried again', () => {
    expect(fetchFailureResult(new FetchFailure('other', 'EPROTO'))).toEqual({
      package: null,
      package_error: 'Unknown error: EPROTO',
      shouldRetry: true,
    });
  });
});
