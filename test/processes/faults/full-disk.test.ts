import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { prepareServer, program, suiteServer } from '../../support/servers.ts';

const server = suiteServer('sqlite');

/** Limits the size of files that the server can write, in bytes: writes fail as on a full disk, reads succeed. Needs no privileges. */
function limitFiles(bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error(String(stderr));
}

it('is reported by /health until it can be written again', async () => {
  const { client } = server;
  const { token } = await signUp(server, 'ada');
  limitFiles(1024);
  const full = await client.get('/health');
  expect([full.status, full.json]).toMatchObject([
    503,
    { status: 'failing', database: { ok: false }, photos: { ok: false } },
  ]);
  expect(JSON.stringify(full.json)).toContain('The database cannot be written');
  expect((await client.post('/api/tools', { name: 'Hoe' }, token)).status).toBe(503);
  expect((await client.get('/api/tools', token)).json).toEqual([]);
  limitFiles('unlimited');
  await expect.poll(async () => (await client.get('/health')).status, { interval: 200 }).toBe(200);
  expect((await client.post('/api/tools', { name: 'Hoe' }, token)).status).toBe(200);
});

it('is named, with its folder, by a start', async () => {
  const fresh = await prepareServer('sqlite', { DATA_DIR: 'data' });
  try {
    const command = ['--fsize=1024', process.execPath, program, 'serve'];
    const { status, stderr } = spawnSync('prlimit', command, { cwd: fresh.folder, env: fresh.env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`The data folder ${fresh.dataDir} cannot be written`),
    ]);
  } finally {
    await fresh.remove();
  }
});
