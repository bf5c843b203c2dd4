import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { Reply } from '../engine/route.ts';
import { notFoundReply } from './fallback-routes.ts';

describe('an unknown path', () => {
  it('is a page for browsers and an error for other clients', () => {
    const shown = notFoundReply({ headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(shown).toBeInstanceOf(Reply);
    expect([shown.status, shown.type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(shown.text).toContain('<h1>Page not found</h1>');
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      expect(() => notFoundReply({ headers })).toThrow(new Failure('not_found', 'This address was not found.'));
  });
});
