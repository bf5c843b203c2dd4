import { describe, expect, it } from 'vitest';
import { FetchFailure } from '../engine/server-fetch.ts';
import { fetchFailureResult, parseManifest } from './farmware-manifest.ts';

const fetched = (body: string, status = 200, isTruncated = false) => ({
  status,
  type: null,
  body: Buffer.from(body),
  isTruncated,
  isPublic: true,
});

describe('parseManifest', () => {
  it('returns the name of the package', () => {
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
  ])('describes the problem of %s', (body, sentence) => {
    expect(parseManifest(fetched(body))).toEqual({ package: null, package_error: sentence, shouldRetry: false });
  });

  it('describes a status other than 200', () => {
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
    ['', 'Unknown error: the response is empty'],
    ['[]', 'Unknown error: the manifest is not an object'],
    ['5', 'Unknown error: the manifest is not an object'],
  ])('retries %j', (body, sentence) => {
    expect(parseManifest(fetched(body))).toEqual({ package: null, package_error: sentence, shouldRetry: true });
  });
});

describe('fetchFailureResult', () => {
  it('has a message for each reason', () => {
    const results = (['address', 'private', 'redirect', 'unresolved', 'offline', 'timeout', 'refused'] as const).map(
      (problem) => fetchFailureResult(new FetchFailure(problem)),
    );
    expect(results.every(({ shouldRetry, package: name }) => !shouldRetry && name === null)).toBe(true);
    expect(new Set(results.map(({ package_error }) => package_error)).size).toBe(7);
  });

  it('includes the code of another failure, which is retried', () => {
    expect(fetchFailureResult(new FetchFailure('other', 'EPROTO'))).toEqual({
      package: null,
      package_error: 'Unknown error: EPROTO',
      shouldRetry: true,
    });
  });
});
