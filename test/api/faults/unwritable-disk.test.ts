import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lostDatabase } from '../../../src/backup/lost-database.ts';
import { ImportArchive } from '../../../src/transfer/account-archive.ts';
import { zipArchive } from '../../support/account-transfer.ts';
import { startApp } from '../../support/app.ts';
import { solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';

/** User and group `nobody`. */
const nobody = 65_534;

/** Runs work while a file or folder has these rights, which apply to the process. */
async function withRights(path: string, rights: number, work: () => Promise<void>): Promise<void> {
  await chmod(path, rights);
  // No permissions apply to root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(path, 0o700);
  }
}

it('an upload gets status 503 and a sentence while the disk must not be written', async () => {
  const server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0' });
  const base = (await server.app.listen()).address;
  const { token } = await server.signUp();
  const picture = await solidColorPicture(40);
  await uploadPhoto(base, token, picture);
  const incoming = join(server.settings.DATA_DIR, 'photos', 'incoming');
  await withRights(incoming, 0o500, () =>
    expect(uploadPhoto(base, token, picture)).rejects.toThrow(
      'upload: 503 {"error":"The server cannot use its disk at the moment. Please try again later."}',
    ),
  );
  await uploadPhoto(base, token, picture);
  await server.close();
});

it('an archive that cannot be read is not called damaged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'potager-archive-'));
  const path = join(folder, 'archive.zip');
  await writeFile(path, await zipArchive({ 'export.json': Buffer.from('{}') }));
  await chmod(folder, 0o755);
  await withRights(path, 0o000, () => expect(ImportArchive.open(path)).rejects.toMatchObject({ code: 'EACCES' }));
  (await ImportArchive.open(path)).close();
  await writeFile(path, 'no archive');
  await expect(ImportArchive.open(path)).rejects.toMatchObject({ status: 422 });
  await rm(folder, { recursive: true });
});

it('the data folder of another user does not pass for an empty one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'potager-data-'));
  const sentence = `The data folder ${folder} belongs to another user. Run this as the user of the server: sudo -u potager potager …`;
  await withRights(folder, 0o600, async () => expect(await lostDatabase(folder)).toBe(sentence));
  expect(await lostDatabase(folder)).toBeNull();
  await rm(folder, { recursive: true });
});
