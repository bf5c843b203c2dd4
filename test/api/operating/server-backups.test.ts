import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('backups that the server creates of itself', (engine) => {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const folder = mkdtempSync(join(tmpdir(), 'potager-server-backups-'));
  const server = suiteApp(engine, { DATA_DIR: folder }, clock);
  let admin: Account;
  beforeAll(async () => {
    admin = await server.signUp();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const call = (method: string) => server.call(method, '/api/admin/backups', { token: admin.token });
  const names = async (): Promise<string[]> => (await call('GET')).json.files.map(({ name }: { name: string }) => name);
  /** Asks for one, makes it, and returns the name of the newest. */
  const make = async (): Promise<string | undefined> => {
    expect((await call('POST')).status).toBe(200);
    await server.app.runJobs();
    // Names have seconds.
    clock.offset += 1000;
    return (await names())[0];
  };

  it('are created one at a time', async () => {
    expect((await call('GET')).json).toEqual({ running: false, files: [] });
    const first = await call('POST');
    expect([first.status, first.json]).toEqual([200, { running: true, files: [] }]);
    const second = await call('POST');
    expect([second.status, second.json]).toEqual([409, { error: 'A backup is already being created.' }]);
    // Of two at the same time, too, one is refused.
    await server.app.runJobs();
    const several = await Promise.all(Array.from({ length: 8 }, () => call('POST')));
    expect(several.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    clock.offset += 1000;
    await server.app.runJobs();
    expect((await call('GET')).json).toMatchObject({
      running: false,
      files: [
        { name: expect.stringMatching(/^potager-.*\.tar$/), bytes: expect.any(Number) },
        { name: expect.stringMatching(/^potager-.*\.tar$/), bytes: expect.any(Number) },
      ],
    });
    clock.offset += 1000;
  });

  it('are the three newest, and nothing else in their folder is deleted', async () => {
    writeFileSync(join(folder, 'backups', 'notes.txt'), 'mine');
    const made: (string | undefined)[] = [];
    for (let count = 0; count < 4; count++) made.push(await make());
    expect(new Set(made).size).toBe(4);
    expect(await names()).toEqual([made[3], made[2], made[1]]);
    expect(readdirSync(join(folder, 'backups')).sort()).toEqual(['notes.txt', made[1], made[2], made[3]]);
  });
});
