import { describe, expect, it } from 'vitest';
import { repeated } from '../engine/route.ts';
import { loggedPath, normalizeUrl, parseQuery } from './url.ts';

describe('normalizeUrl', () => {
  it.each([
    ['/api/tools', '/api/tools'],
    ['/', '/'],
    ['//', '/'],
    ['/api/', '/api'],
    ['/api/tools.json', '/api/tools'],
    ['/api/tools.json?page=x', '/api/tools?page=x'],
    ['/api/tools/?a=b', '/api/tools?a=b'],
    ['/api/tools/5.json', '/api/tools/5'],
    ['/api/tools//5/', '/api/tools/5'],
    ['//api///tools', '/api/tools'],
    ['/api/saved_gardens//5/apply', '/api/saved_gardens/5/apply'],
    ['/api/tools?url=http://x/', '/api/tools?url=http://x/'],
    ['/api/tools?file=a.json', '/api/tools?file=a.json'],
    ['http://garden.example:3000/api/tools.json', '/api/tools'],
    ['http://garden.example', '/'],
    ['*', '/*'],
    ['/FEATURE_MIN_VERSIONS.json', '/FEATURE_MIN_VERSIONS.json'],
    ['/csp_reports.json', '/csp_reports.json'],
    ['/api/tools.json.json', '/api/tools.json.json'],
    ['/api/tools.JSON', '/api/tools.JSON'],
    ['/api/tools.xml', '/api/tools.xml'],
  ])('%s → %s', (url, normalized) => expect(normalizeUrl(url)).toBe(normalized));
});

describe('loggedPath', () => {
  it.each([
    ['/api/tools/5?token=secret', '/api/tools/5'],
    ['/verify/0123-abc', '/verify/…'],
    ['/password_reset/a.b.c', '/password_reset/…'],
    ['/take_back/a.b.c', '/take_back/…'],
    ['/api/password_resets/a.b.c?x', '/api/password_resets/…'],
    ['/nothing/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOjF9.c2ln/x', '/nothing/…/x'],
  ])('%s → %s', (url, path) => expect(loggedPath(url)).toBe(path));
  it('is at most 200 characters', () => expect(loggedPath(`/${'a'.repeat(5000)}`)).toHaveLength(200));
});

describe('parseQuery', () => {
  it('keeps the last of repeated parameters, and names and invalid escapes as they are', () => {
    expect({ ...parseQuery('a=1&a=2&meta[x]=y&empty=&bare&p=a+b%20c') }).toEqual({
      a: '2',
      'meta[x]': 'y',
      empty: '',
      bare: '',
      p: 'a b c',
      [repeated]: new Set(['a']),
    });
    expect({ ...parseQuery('') }).toEqual({});
    expect(parseQuery('a=%zz').a).toBe('%zz');
  });

  it('returns an object without a prototype', () => {
    expect(parseQuery('').toString).toBeUndefined();
    expect(Object.entries(parseQuery('__proto__=1'))).toEqual([['__proto__', '1']]);
    expect(parseQuery('x=1').constructor).toBeUndefined();
  });
});
