import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, TestApp } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { PostgresProxy } from '../support/postgres-proxy.ts';

/** Asks whether gardens have changed. */
const counts = 'select id, commits from devices where id = any($1)';
const waiting = { interval: 5 };

describe('requests on PostgreSQL', () => {
  let home: TestApp;
  let proxy: PostgresProxy;
  let server: TestApp;
  let ada: Account;
  let point = 0;
  beforeAll(async () => {
    home = await startApp('postgres');
    proxy = await PostgresProxy.open(String(home.settings.DATABASE_URL));
    server = await startApp('sqlite', { DATABASE_URL: proxy.url });
    ada = await server.signUp();
    const weed = { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2, z: 0 };
    point = (await call('POST', '/api/points', weed)).json.id;
  });
  afterAll(async () => {
    await server.close();
    await proxy.close();
    await home.close();
  });

  const call = (method: string, path: string, body?: unknown) => server.call(method, path, { token: ada.token, body });

  /** Returns the round trips and the statements of work, once sign-ins are remembered and connections are open. */
  async function cost(work: () => Promise<unknown>) {
    const isRemembered = async () => {
      proxy.reset();
      await call('GET', `/api/points/${point}`);
      return proxy.statements.length;
    };
    await work();
    await expect.poll(isRemembered, waiting).toBe(1);
    proxy.reset();
    await work();
    return { roundTrips: proxy.roundTrips, statements: [...proxy.statements] };
  }

  it('show a record that is in memory in one round trip, which asks for changes of the garden', async () => {
    const { roundTrips, statements } = await cost(() => call('GET', `/api/points/${point}`));
    expect(statements).toEqual([counts]);
    expect(roundTrips).toBe(1);
  });

  it('ask for changes once for several that arrive together', async () => {
    const paths = [`/api/points/${point}`, '/api/tools', '/api/points'];
    const { statements } = await cost(() =>
      Promise.all(Array.from({ length: 30 }, (_, n) => call('GET', String(paths[n % 3])))),
    );
    expect(statements.length).toBeLessThan(10);
    expect(new Set(statements)).toEqual(new Set([counts]));
  });

  it('read a changed garden in two round trips', async () => {
    let x = 20;
    const { statements } = await cost(async () => {
      await call('PATCH', `/api/points/${point}`, { x: ++x });
      proxy.reset();
      expect((await call('GET', `/api/points/${point}`)).json.x).toBe(x);
    });
    const own = statements.filter((text) => !text.includes('change_cursors') && !text.includes('"changes"'));
    expect(own[0]).toBe(counts);
    expect(own.slice(1).map((text) => /from "?(\w+)/.exec(text)?.[1])).toEqual(['points']);
  });

  it('change a record in three: lock and read, update and JSON, log and commit', async () => {
    let x = 10;
    const { roundTrips, statements } = await cost(async () => {
      x++;
      expect((await call('PATCH', `/api/points/${point}`, { x })).json.x).toBe(x);
    });
    const kinds = statements.map((text) => text.split(' ').slice(0, 2).join(' '));
    expect(kinds[0]).toBe('begin');
    expect(statements[1]).toBe('update devices set commits = coalesce(commits, 0) + 1 where id = $1');
    expect(statements.slice(2).map((text) => text.split(' ')[0])).toEqual(['select', 'update', 'insert', 'commit']);
    expect(roundTrips).toBe(3);
  });

  it('change several points with one statement for each', async () => {
    const made = await call('POST', '/api/points/bulk', {
      points: Array.from({ length: 5 }, (_, x) => ({ pointer_type: 'Weed', x, y: 1, z: 0 })),
    });
    const ids = made.json.map(({ id }: { id: number }) => id);
    let x = 100;
    const { statements } = await cost(async () => {
      x++;
      const body = { points: ids.map((id: number) => ({ id, x })) };
      expect((await call('PATCH', '/api/points/bulk', body)).status).toBe(200);
    });
    const own = statements.filter((text) => /(from|update) "points"/.test(text)).map((text) => text.split(' ')[0]);
    // The points, their states for the history, and the answer.
    expect(own).toEqual(['select', 'select', ...Array(5).fill('update'), 'select']);
  });

  it('store a log in two: lock, insert and JSON, commit', async () => {
    const log = { message: 'Moving', type: 'info', channels: [], verbosity: 1 };
    const { roundTrips } = await cost(async () => expect((await call('POST', '/api/logs', log)).status).toBe(200));
    expect(roundTrips).toBe(2);
  });

  it('send nothing for a body that is refused before the record is read', async () => {
    const { statements } = await cost(async () =>
      expect((await call('POST', '/api/logs', { message: 'PASSWORD' })).status).toBe(422),
    );
    expect(statements).toEqual([]);
  });

  it('share a commit where they change one garden, and fail alone', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Tool ${n}`);
    const statuses: number[] = [];
    const { statements } = await cost(async () => {
      statuses.length = 0;
      const group = `${Math.random()}`;
      // The second half has the names of the first.
      const bodies = [...names, ...names].map((name) => ({ name: `${name} ${group}` }));
      const replies = await Promise.all(bodies.map((body) => call('POST', '/api/tools', body)));
      statuses.push(...replies.map(({ status }) => status));
    });
    expect(statuses.filter((status) => status === 200)).toHaveLength(12);
    expect(statuses.filter((status) => status === 422)).toHaveLength(12);
    // The first one is committed, or shares the commit with later arrivals.
    expect(statements.filter((text) => text === 'commit').length).toBeLessThanOrEqual(2);
    const stored = (await call('GET', '/api/tools')).json.map(({ name }: { name: string }) => name);
    expect(stored).toHaveLength(24);
    expect(new Set(stored).size).toBe(24);
  });

  it('announce many changes with few statements', async () => {
    const other = await startApp('sqlite', { DATABASE_URL: proxy.url });
    const heard = new Set<string | null>();
    await other.app.attach(({ body }) => void heard.add(body));
    const { token } = await other.signUp();
    const tool = await other.call('POST', '/api/tools', { token, body: { name: 'Rake' } });
    const changes = 200;
    const acknowledged: string[] = [];
    proxy.reset();
    for (let n = 0; n < changes; n += 20) {
      const bodies = Array.from({ length: 20 }, (_, i) => ({ flow_rate_ml_per_s: 1 + n + i }));
      const batch = bodies.map((body) => other.call('PATCH', `/api/tools/${tool.json.id}`, { token, body }));
      acknowledged.push(...(await Promise.all(batch)).map(({ text }) => text));
    }
    await expect.poll(() => acknowledged.filter((text) => !heard.has(text)), waiting).toEqual([]);
    const own = proxy.statements.filter(
      (text) => text.includes('change_cursors') || (text.startsWith('select') && text.includes('from "changes"')),
    );
    expect(own.length).toBeLessThan(changes / 2);
    await other.close();
  });
});
