import { describe, expect, it } from 'vitest';
import { addressNotFound } from '../core/errors.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { ConsolePage } from './console-page.ts';
import { notFoundReply } from './fallback-routes.ts';

describe('an unknown path', () => {
  it('is a page for browsers and an error for other clients', async () => {
    const console = await ConsolePage.open({ broker: () => 'ws://garden.example/ws', folder: '/nowhere' });
    const reply = (headers: Call['headers']) => notFoundReply(console, { headers } as Call);
    const shown = reply({ accept: 'text/html,*/*;q=0.8' });
    expect(shown).toBeInstanceOf(Reply);
    expect([shown.status, shown.type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(shown.text).toContain('{"to":"/not-found"}');
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      expect(() => reply(headers)).toThrow(addressNotFound());
  });
});
