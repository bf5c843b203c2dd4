import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { fixture } from '../../support/account-transfer.ts';
import type { SignedInAccount } from '../../support/accounts.ts';
import { signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import { suiteServer } from '../../support/servers.ts';

describeEngines('the command import', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  let account: SignedInAccount;
  let file = '';
  beforeAll(async () => {
    account = await signUp({ client: server.client, outbox: null }, 'ada');
    file = join(server.dataDir, 'garden.json');
    await writeFile(file, JSON.stringify({ ...fixture('plain'), images: [] }));
  });

  const tools = async (): Promise<number> =>
    ((await server.client.get('/api/tools', account.token)).json as unknown[]).length;

  it('checks, then imports, and rejects a second import', async () => {
    const checked = await server.run(['import', account.email, file, '--check', '--strict']);
    expect(checked.output).toContain('Would be imported: 2 tools, 4 points,');
    expect(checked).toMatchObject({ code: 0, output: expect.stringMatching(/Nothing was imported\.\n$/) });
    expect(await tools()).toBe(0);
    const taken = await server.run(['import', account.email.toUpperCase(), file]);
    expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('Imported: ') });
    expect(await tools()).toBe(2);
    expect(await server.run(['import', account.email, file])).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^The file cannot be imported\.\n {2}The account is not empty \(2 tools, 4 points, .*, …\)\. Use mode "merge" or "replace"\.\n$/,
      ),
    });
    const replaced = await server.run(['import', account.email, file, '--mode', 'replace']);
    expect(replaced).toMatchObject({ code: 0, output: expect.stringMatching(/imports-replaced\/device-\d+-\w+\.zip/) });
    expect(await tools()).toBe(2);
  });

  it('adds the plants of a table', async () => {
    const table = join(server.dataDir, 'plants.CSV');
    await writeFile(table, Buffer.from('crop;x;y\r\nM\xf6hre;1,5;2\r\n', 'latin1'));
    expect(await server.run(['import', account.email, table])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The table is neither UTF-8 nor UTF-16\. .*windows-1252 .*\n$/),
    });
    const named = ['import', account.email, table, '--encoding', 'windows-1252'];
    expect(await server.run([...named, '--check'])).toMatchObject({
      code: 0,
      output: 'Would be imported: 1 points.\nNothing was imported.\n',
    });
    expect(await server.run([...named, '--mode', 'replace'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('A table can only be added'),
    });
    const plants = async () =>
      ((await server.client.get('/api/points', account.token)).json as { name: string; x: number }[]).filter(
        ({ name }) => name === 'Möhre',
      );
    expect(await plants()).toEqual([]);
    expect(await server.run(named)).toMatchObject({ code: 0, output: 'Imported: 1 points.\n' });
    expect(await plants()).toMatchObject([{ openfarm_slug: 'carrot', x: 1.5 }]);
  });

  it('prints all problems, missing files and unknown users', async () => {
    const bad = join(server.dataDir, 'bad.json');
    const document = fixture('plain');
    document.points[0].x = 'far';
    document.tools[0].name = '';
    await writeFile(bad, JSON.stringify(document));
    expect(await server.run(['import', account.email, bad, '--mode', 'merge'])).toMatchObject({
      code: 1,
      output:
        'The file cannot be imported.\n  /tools/0/name: Name must not be blank.\n  /points/0/x: X must be a number.\n',
    });
    expect(await server.run(['import', account.email, `${file}.missing`])).toMatchObject({
      code: 1,
      output: `File not found: ${file}.missing.\n`,
    });
    expect(await server.run(['import', 'eve@example.com', file])).toMatchObject({
      code: 1,
      output: 'No user has the address eve@example.com.\n',
    });
  });
});
