import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signUp } from '../support/accounts.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../support/photo-upload.ts';
import { prepareServer, type ServerProcess } from '../support/servers.ts';

let server: ServerProcess | null = null;
let umask = 0;

beforeEach(() => {
  // Inherited by the server.
  umask = process.umask(0);
});
afterEach(async () => {
  process.umask(umask);
  await server?.remove();
  server = null;
});

/** Returns the files and folders below a folder that others have rights to, with these rights. */
const accessibleToOthers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    // The upload of a photo goes when its picture is there.
    const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`];
  });

it('files of the server and its commands are for their user only, also in a folder that is open to all', async () => {
  const running = await prepareServer('sqlite', { EMAIL_VERIFICATION: 'required' });
  server = running;
  await running.start();
  await running.stop();
  // As an earlier version or an operator left them.
  chmodSync(running.dataDir, 0o777);
  for (const suffix of ['', '-wal', '-shm']) {
    const file = join(running.dataDir, `potager.sqlite${suffix}`);
    writeFileSync(file, '', { flag: 'a' });
    chmodSync(file, 0o666);
  }
  await running.start();
  const account = await signUp(running, 'rights');
  const photo = await uploadPhoto(running.base, account.token, await solidColorPicture(1));
  await processedPhotoUrl(running.base, account.token, photo);
  expect(accessibleToOthers(running.dataDir)).toEqual([]);

  const archives = join(running.folder, 'archives');
  mkdirSync(archives, { mode: 0o777 });
  expect((await running.run(['backup', join(archives, 'all.tar')])).output).not.toContain('Error');
  expect(readdirSync(archives)).toEqual(['all.tar']);
  expect(accessibleToOthers(archives)).toEqual([]);

  const doctor = await running.run(['doctor']);
  expect(doctor.output).toContain(
    `note  data folder rights: Other users of this machine can enter ${running.dataDir} (its mode is 777). Run: chmod -R go= ${running.dataDir}`,
  );
  chmodSync(running.dataDir, 0o700);
  expect((await running.run(['doctor'])).output).not.toContain('data folder rights');
});
