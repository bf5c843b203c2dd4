import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, TestApp } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { numbers, steps } from '../support/parity-requests.ts';

// The same requests get the same bytes on SQLite and on PostgreSQL.

/** Replaces the differences between runs: ids (by the names of their steps) and generated times. */
function normalize(text: string, names: ReadonlyMap<number, string>): string {
  return text
    .replace(
      /"point_ids":\[([\d,]*)\]/g,
      (_, ids: string) => `"point_ids":[${ids.split(',').map((id) => names.get(Number(id)) ?? '?')}]`,
    )
    .replace(/"((?:\w+_)?id)":\d+/g, '"$1":"<id>"')
    .replace(/\[\d+,"20[^"]*"\]/g, '[<pair>]')
    .replace(/"(created_at|updated_at|discarded_at)":"20[^"]*"/g, '"$1":"<time>"')
    .replace(/"created_at":1\d{9}/g, '"created_at":"<seconds>"')
    .replace(/gardener\.\d+\./g, 'gardener.')
    .replace(/"slug":"[0-9a-f-]{36}"/g, '"slug":"<uuid>"');
}

interface Reply {
  readonly request: string;
  readonly status: number;
  readonly text: string;
}

async function play(server: TestApp, account: Account): Promise<Reply[]> {
  const ids = new Map<string, number>();
  const points = new Map<number, string>();
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.get(/^\{\{(\w+)\}\}$/.exec(value)?.[1] ?? '') ?? value;
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  const replies: Reply[] = [];
  for (const [line, body, name] of steps) {
    const [method = '', path = ''] = line.replace('! ', '').split(/ (.*)/);
    const url = path.replace(/\{\{(\w+)\}\}/g, (_, key: string) => String(ids.get(key))).replaceAll(' ', '%20');
    const response = await server.call(method, url, {
      token: account.token,
      ...(body !== undefined && { body: fill(body) }),
    });
    if (name !== undefined) {
      expect(response.status, `${line} ${response.text}`).toBe(200);
      ids.set(name, response.json.id);
      if (path === '/api/points') points.set(response.json.id, name);
    }
    const request = `${line} ${JSON.stringify(body)?.slice(0, 120) ?? ''}`;
    replies.push({ request, status: response.status, text: normalize(response.text, points) });
  }
  return replies;
}

describe('both engines', () => {
  const servers: TestApp[] = [];
  let onSqlite: Reply[];
  let onPostgres: Reply[];
  beforeAll(async () => {
    for (const engine of ['sqlite', 'postgres'] as const) servers.push(await startApp(engine));
    const [first, second] = await Promise.all(servers.map(async (server) => play(server, await server.signUp())));
    onSqlite = first ?? [];
    onPostgres = second ?? [];
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  it('return the same bytes', () => {
    expect(onSqlite.length).toBeGreaterThan(150);
    for (const [index, reply] of onSqlite.entries()) expect(onPostgres[index]).toEqual(reply);
  });

  it('format numbers like JavaScript', () => {
    const formatted = onSqlite.slice(0, numbers.length).map(({ text }) => /"radius":([^,]*)/.exec(text)?.[1]);
    expect(formatted).toEqual(numbers.map(([, text]) => text));
  });

  it('return the expected statuses', () => {
    const unexpected = onSqlite.filter(({ request, status }) => {
      if (request.startsWith('GET /api/nothing')) return status !== 404;
      return status !== (request.startsWith('!') ? 422 : 200);
    });
    expect(unexpected).toEqual([]);
  });
});
