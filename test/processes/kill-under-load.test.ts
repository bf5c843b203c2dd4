import { afterEach, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { HttpClient } from '../support/http-client.ts';
import { isObject, type Json, numberAt } from '../support/json.ts';
import { type ServerProcess, startServer } from '../support/servers.ts';

const connections = 8;
/** Acknowledged writes before the server is killed. */
const minWrites = 500;
/** A device may have 1000 points; the server cleans up from 800. */
const maxPoints = 780;

/** An acknowledged write. */
interface Acknowledged {
  readonly path: '/api/tools' | '/api/points';
  readonly id: number;
  readonly name: string;
  readonly x: number | null;
}

describeEngines('kill -9 under load', (engine) => {
  let server: ServerProcess | null = null;
  afterEach(async () => server?.remove());

  it('loses no acknowledged write', async () => {
    const running = await startServer(engine, { RATE_LIMITS: 'off' });
    server = running;
    const accounts: SignedInAccount[] = [];
    for (let i = 0; i < connections; i++) accounts.push(await signUp(running, `load${i}`));

    const acknowledged: Acknowledged[][] = accounts.map(() => []);
    const writers = accounts.map((account, index) => write(running.base, account, acknowledged[index] ?? []));
    await expect.poll(() => acknowledged.flat().length).toBeGreaterThan(minWrites);
    await running.kill();
    await Promise.all(writers);

    await running.restart();
    for (const [index, account] of accounts.entries()) {
      const kept = await read(running.client, account);
      const lost = (acknowledged[index] ?? []).filter(
        (each) => kept.get(`${each.path} ${each.id}`) !== contentOf(each),
      );
      expect(lost).toEqual([]);
    }
    // Interrupted work of the killed process must not block new work.
    const next = await running.client.post('/api/tools', { name: 'after' }, accounts[0]?.token);
    expect(next.status).toBe(200);
  });
});

const contentOf = (row: { readonly name: Json; readonly x: Json }): string => JSON.stringify([row.name, row.x]);

/** Posts tools and points in sequence over one connection until the server ends; `acknowledged` gets those that were answered. */
async function write(base: string, account: SignedInAccount, acknowledged: Acknowledged[]): Promise<void> {
  const client = new HttpClient(base, 1);
  let points = 0;
  for (let i = 0; ; i++) {
    const isPoint = i % 2 === 1 && points < maxPoints;
    const path = isPoint ? '/api/points' : '/api/tools';
    const name = `${account.name} ${i}`;
    const x = isPoint ? i / 4 : null;
    const body: Json = isPoint ? { name, x, y: 0, z: 0, pointer_type: 'GenericPointer' } : { name };
    const response = await client.post(path, body, account.token).catch(() => null);
    if (!response) break;
    if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${response.text}`);
    acknowledged.push({ path, id: numberAt(response.json, 'id'), name, x });
    if (isPoint) points++;
  }
  client.close();
}

/** The records of the server: `path id` → name and x. */
async function read(client: HttpClient, account: SignedInAccount): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  for (const path of ['/api/tools', '/api/points']) {
    const rows = (await client.get(path, account.token)).json;
    for (const row of Array.isArray(rows) ? rows.filter(isObject) : []) {
      kept.set(`${path} ${row.id}`, contentOf({ name: row.name ?? null, x: row.x ?? null }));
    }
  }
  return kept;
}
