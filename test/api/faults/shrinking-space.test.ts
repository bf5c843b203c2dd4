import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fixture, sendImport } from '../../support/account-transfer.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

/** The free bytes of the disk that the server measures. */
const disk = { measure: (): number => 1e12 };

beforeAll(() => {
  const size = fs.statfsSync('/');
  vi.spyOn(fs, 'statfsSync').mockImplementation(() =>
    Object.assign(size, { bsize: 1, bavail: disk.measure(), blocks: 1e12 }),
  );
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describeEngines('while the disk fills', (engine) => {
  const clock = { time: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.time };
  const server = suiteApp(engine, {}, clock);

  /** The files of imports in progress and of backups, by their folders. */
  const files = (): string[] =>
    ['imports', 'imports-replaced'].flatMap((folder) => {
      const path = join(server.settings.DATA_DIR, folder);
      const names = readdirSync(server.settings.DATA_DIR).includes(folder) ? readdirSync(path) : [];
      return names.map((name) => (name.endsWith('.partial') ? `${folder}, partial` : folder));
    });

  it('an import that replaces an account is refused at any time, and leaves nothing', async () => {
    const account = await server.signUp();
    const { token } = account;
    await server.call('POST', '/api/tools', { token, body: { name: 'Old' } });
    const tools = async () => (await server.call('GET', '/api/tools', { token })).text;
    const before = await tools();
    const headers = { 'x-account-password': password };
    const refusals = new Set<string>();
    for (let measurements = 0; ; measurements++) {
      let left = measurements;
      disk.measure = () => {
        // Measured again by the next check.
        clock.time += 500;
        if (left-- > 0) return 1e12;
        refusals.add(files().join());
        return 0;
      };
      const { status } = await sendImport(
        server,
        account,
        { ...fixture('plain'), images: [] },
        '?mode=replace',
        headers,
      );
      if (status === 200) break;
      expect([status, files(), await tools()]).toEqual([507, [], before]);
    }
    expect([...refusals]).toEqual(
      expect.arrayContaining(['', 'imports, partial', 'imports, partial,imports-replaced, partial']),
    );
    expect(files()).toEqual(['imports-replaced']);
  });
});
