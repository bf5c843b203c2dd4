import { expect } from 'vitest';
import type { JsonObject } from '../../support/json.ts';
import { at, numberAt, textAt } from '../../support/json.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedAccount } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';

/** Texts of a hundred kilobytes, the most that a body of 1 MiB may well contain. */
const largeProgram = Array.from({ length: 29 }, () => ({ kind: 'lua', args: { lua: '-'.repeat(2900) } }));

const publishedBytes = async ({ server }: AttackContext, { token }: AttackedAccount): Promise<number> =>
  numberAt((await server.proxy.get('/api/usage', token)).json, 'published_bytes.used');

/** Creates an account with a large program and returns its id. */
async function withProgram({ server }: AttackContext, name: string) {
  const account = await server.createAccount(name);
  const { token } = account;
  const body = { name: 'Large', body: largeProgram };
  const { json } = await server.proxy.send('POST', '/api/sequences', { token, body });
  const id = numberAt(json, 'id');
  const versions = async () => at((await server.proxy.get(`/api/sequences/${id}`, token)).json, 'sequence_versions');
  return { account, id, versions };
}

/** Parts of a batch. */
const partsAtOnce = 100;

/** Kinds that had no limit, with the body of the n-th record. */
const kinds: Readonly<Record<string, (n: number) => JsonObject>> = {
  tools: (n) => ({ name: `Tool ${n}` }),
  folders: (n) => ({ name: `Folder ${n}`, color: 'red' }),
  saved_gardens: (n) => ({ name: `Garden ${n}` }),
  webcam_feeds: (n) => ({ name: `Feed ${n}`, url: 'http://x.invalid/' }),
  curves: (n) => ({ name: `Curve ${n}`, type: 'water', data: { 1: 1, 2: 2 } }),
  wizard_step_results: (n) => ({ slug: `step ${n}` }),
  point_groups: (n) => ({ name: `Group ${n}`, point_ids: [] }),
};

/** Storing records without end. */
export const recordLimitAttempts: readonly Attempt[] = [
  {
    name: 'Fill the database with records of a kind that no garden has many of',
    property: 'Quotas',
    defense: '422 beyond the maximum of each kind; existing records stay',
    tries: { short: 12, full: 12 * Object.keys(kinds).length },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('collector');
      let sent = 0;
      for (const [name, bodyOf] of Object.entries(kinds).slice(0, tries / 12)) {
        for (let request = 0; request < 12; request++) {
          const path = `/api/${name}`;
          const parts = Array.from({ length: partsAtOnce }, () => ({ method: 'POST', path, body: bodyOf(++sent) }));
          // From another address each time: the limit of requests is not attacked.
          await context.attack(server.newAddress(), 'POST', '/api/batch', { token, body: parts });
        }
        expect((await server.proxy.get(`/api/${name}`, token)).json).toHaveLength(1000);
      }
      expect(context.count(200)).toBe((tries * 10) / 12);
      expect(context.count(422)).toBe((tries * 2) / 12);
    },
  },
  {
    name: 'Open sessions without end by renewing the token of a script that sends no User-Agent, as a robot does',
    property: 'Quotas',
    defense: '422 beyond 1,000 of a person in a garden; the script keeps its session',
    tries: { short: 0, full: 1100 },
    async run(context) {
      const { server, tries } = context;
      const { email, password } = await server.createAccount('renewer');
      const body = { user: { email, password } };
      const signedIn = await server.send(server.newAddress(), 'POST', '/api/tokens', { body });
      const token = textAt(signedIn.json, 'token.encoded');
      for (let i = 0; i < tries; i++) await context.attack(server.newAddress(), 'GET', '/api/tokens', { token });
      expect(context.count(200)).toBeLessThan(1000);
      expect(context.count(422)).toBe(tries - context.count(200));
      expect((await server.proxy.get('/api/device', token)).status).toBe(200);
    },
  },
  {
    name: 'Fill the database by publishing one program again and again',
    property: 'Quotas',
    defense: 'the same answer as before; there is one version',
    tries: { short: 8, full: 200 },
    async run(context) {
      const { account, id, versions } = await withProgram(context, 'publisher');
      const from = context.server.newAddress();
      for (let i = 0; i < context.tries; i++) {
        const options = { token: account.token, body: { copyright: 'Mine' } };
        await context.attack(from, 'POST', `/api/sequences/${id}/publish`, options);
      }
      expect(context.count(200)).toBe(context.tries);
      expect(await versions()).toHaveLength(1);
    },
  },
  {
    name: 'Fill the database with versions of one program under other licenses',
    property: 'Quotas',
    defense: '422 beyond the quota of bytes, until some are unpublished',
    tries: { short: 8, full: 200 },
    async run(context) {
      const { account, id } = await withProgram(context, 'licenser');
      const from = context.server.newAddress();
      for (let i = 0; i < context.tries; i++) {
        const options = { token: account.token, body: { copyright: `Number ${i}` } };
        await context.attack(from, 'POST', `/api/sequences/${id}/publish`, options);
      }
      expect(context.count(200)).toBeGreaterThan(0);
      expect(context.count(200)).toBeLessThan(context.tries);
      expect(context.count(422)).toBe(context.tries - context.count(200));
      expect(await publishedBytes(context, account)).toBeLessThan(400_000);
    },
  },
];
