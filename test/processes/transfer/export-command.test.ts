import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SignedInAccount } from '../../support/accounts.ts';
import { signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import { suiteServer } from '../../support/servers.ts';
import { zipContent } from '../../support/zip-content.ts';

describeEngines('the command export', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  let account: SignedInAccount;
  let folder = '';
  let photo = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'potager-exports-'));
    account = await signUp({ client: server.client, outbox: null }, 'ada');
    await server.client.post('/api/tools', { name: 'Spade' }, account.token);
    photo = await uploadPhoto(server.base, account.token, await solidColorPicture(20));
    await processedPhotoUrl(server.base, account.token, photo);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes the document with or without photos', async () => {
    const zip = join(folder, 'garden.zip');
    const ran = await server.run(['export', account.email.toUpperCase(), zip]);
    expect(ran).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Exported the account of .* \(\d+ kB\)\.\n$/),
    });
    const files = await zipContent(await readFile(zip));
    expect([...files.keys()]).toEqual(['export.json', `photos/${photo}.jpg`]);
    const document = JSON.parse(String(files.get('export.json')));
    expect(document.tools).toMatchObject([{ name: 'Spade' }]);
    expect((await stat(zip)).mode & 0o777).toBe(0o600);

    const json = join(folder, 'garden.json');
    expect(await server.run(['export', account.email, json])).toMatchObject({ code: 0 });
    const alone = JSON.parse(await readFile(json, 'utf8'));
    expect({ ...alone, export_created_at: 0 }).toEqual({ ...document, export_created_at: 0 });
  });

  it('replaces files only with --force, and reports unknown users', async () => {
    const file = join(folder, 'kept.json');
    await writeFile(file, 'mine');
    expect(await server.run(['export', account.email, file])).toMatchObject({
      code: 1,
      output: `${file} already exists. Choose another name, or add --force.\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await server.run(['export', '--force', account.email, file])).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file, 'utf8')).tools).toHaveLength(1);
    expect(await server.run(['export', 'eve@example.com', join(folder, 'eve.zip')])).toMatchObject({
      code: 1,
      output: 'No user has the address eve@example.com.\n',
    });
    expect(await server.run(['export', account.email, join(folder, 'garden.tar')])).toMatchObject({
      code: 2,
      output: 'The file must end with .zip (data and photos) or .json (data only).\n',
    });
  });
});
