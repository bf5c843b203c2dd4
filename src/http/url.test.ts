import { describe, expect, it } from 'vitest';
import { loggedPath, normalizeUrl } from './url.ts';

describe('cleanAddress', () => {
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
  ])('%s → %s', (sent, clean) => expect(normalizeUrl(sent)).toBe(clean));
});

describe('loggedPath', () => {
  it.each([
    ['/api/tools/5?token=secret', '/api/tools/5'],
    ['/verify/0123-abc', '/verify/…'],
    ['/password_reset/a.b.c', '/password_reset/…'],
    ['/api/password_resets/a.b.c?x', '/api/password_resets/…'],
    ['/nothing/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOjF9.c2ln/x', '/nothing/…/x'],
  ])('%s → %s', (url, path) => expect(loggedPath(url)).toBe(path));
  it('is short', () => expect(loggedPath(`/${'a'.repeat(5000)}`)).toHaveLength(200));
});
