import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exportAccount, fixture, sendImport } from '../../support/account-transfer.ts';
import { suiteApp } from '../../support/app.ts';
import { canonicalDocument } from '../../support/canonical-document.ts';
import { describeEngines } from '../../support/engines.ts';
import { accountDocuments } from '../../support/generated-accounts.ts';

const seed = 20_261_121;

describeEngines('an account that is exported and imported', (engine) => {
  const server = suiteApp(engine);

  it('is the same except for ids, for any garden', async () => {
    await fc.assert(
      fc.asyncProperty(accountDocuments, async (garden) => {
        const [first, second] = [await server.signUp(), await server.signUp()];
        const created = await sendImport(server, first, garden, '?strict=true');
        expect([created.status, created.json], created.text).toEqual([
          200,
          expect.objectContaining({ ok: true, changed: [], left_out: [] }),
        ]);
        const before = await exportAccount(server, first);
        // Nothing was lost.
        expect(canonicalDocument(before)).toMatchObject(canonicalDocument(garden));
        const again = await sendImport(server, second, before, '?strict=true');
        expect(again.status, again.text).toBe(200);
        expect(canonicalDocument(await exportAccount(server, second))).toEqual(canonicalDocument(before));
      }),
      { seed, numRuns: 25, endOnFailure: true },
    );
  });

  it('is the same except for ids, for a garden written by hand', async () => {
    const garden = { ...fixture('plain'), images: [] };
    const account = await server.signUp();
    const { status, text } = await sendImport(server, account, garden, '?strict=true');
    expect(status, text).toBe(200);
    expect(canonicalDocument(await exportAccount(server, account))).toMatchObject(canonicalDocument(garden));
  });
});
