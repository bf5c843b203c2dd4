import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { canonical } from '../support/canonical-document.ts';
import { describeEngines } from '../support/engines.ts';
import { gardens } from '../support/generated-gardens.ts';
import { exported, fixture, sendImport } from '../support/imports.ts';

const seed = 20_261_121;

describeEngines('what was exported and imported', (engine) => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startApp(engine);
  });
  afterAll(() => server.close());

  it('is the same but for ids, in any garden', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(gardens, async (garden) => {
        const [first, second] = [await server.account(), await server.account()];
        const made = await sendImport(server, first, garden, '?strict=true');
        expect([made.status, made.json], made.text).toEqual([
          200,
          expect.objectContaining({ ok: true, changed: [], left_out: [] }),
        ]);
        const before = await exported(server, first);
        // All that was said is there.
        expect(canonical(before)).toMatchObject(canonical(garden));
        const again = await sendImport(server, second, before, '?strict=true');
        expect(again.status, again.text).toBe(200);
        expect(canonical(await exported(server, second))).toEqual(canonical(before));
      }),
      { seed, numRuns: 25, endOnFailure: true },
    );
  });

  it('is the same but for ids, in a garden written by hand', async () => {
    const garden = { ...fixture('plain'), images: [] };
    const account = await server.account();
    const { status, text } = await sendImport(server, account, garden, '?strict=true');
    expect(status, text).toBe(200);
    expect(canonical(await exported(server, account))).toMatchObject(canonical(garden));
  });
});
