import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, TestApp } from './support/app.ts';
import { startApp } from './support/app.ts';
import { numbers, steps } from './support/parity-requests.ts';

// The same requests on SQLite and on PostgreSQL must give the same bytes.

/** What differs from run to run: ids (those of named steps keep their names), and times that nobody sent. */
function normal(text: string, names: ReadonlyMap<number, string>): string {
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
    const address = path.replace(/\{\{(\w+)\}\}/g, (_, key: string) => String(ids.get(key))).replaceAll(' ', '%20');
    const answer = await server.call(method, address, {
      token: account.token,
      ...(body !== undefined && { body: fill(body) }),
    });
    if (name !== undefined) {
      expect(answer.status, `${line} ${answer.text}`).toBe(200);
      ids.set(name, answer.json.id);
      if (path === '/api/points') points.set(answer.json.id, name);
    }
    const request = `${line} ${JSON.stringify(body)?.slice(0, 120) ?? ''}`;
    replies.push({ request, status: answer.status, text: normal(answer.text, points) });
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
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  it('answer the same bytes', () => {
    expect(onSqlite.length).toBeGreaterThan(150);
    for (const [index, reply] of onSqlite.entries()) expect(onPostgres[index]).toEqual(reply);
  });

  it('write numbers as JavaScript does', () => {
    const written = onSqlite.slice(0, numbers.length).map(({ text }) => /"radius":([^,]*)/.exec(text)?.[1]);
    expect(written).toEqual(numbers.map(([, text]) => text));
  });

  it('take and refuse what they should', () => {
    const wrong = onSqlite.filter(({ request, status }) => {
      if (request.startsWith('GET /api/nothing')) return status !== 404;
      return status !== (request.startsWith('!') ? 422 : 200);
    });
    expect(wrong).toEqual([]);
  });
});
