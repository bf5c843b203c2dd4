import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startApp } from '../support/app.ts';
import { solidColorPicture, uploadPhoto } from '../support/photo-upload.ts';

/** User and group `nobody`. */
const nobody = 65_534;

it('an upload gets status 503 and a sentence while the disk must not be written', async () => {
  const server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0' });
  const base = (await server.app.listen()).address;
  const { token } = await server.signUp();
  const picture = await solidColorPicture(40);
  await uploadPhoto(base, token, picture);
  const incoming = join(server.settings.DATA_DIR, 'photos', 'incoming');
  await chmod(incoming, 0o500);
  // No permissions apply to root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    await expect(uploadPhoto(base, token, picture)).rejects.toThrow(
      'upload: 503 {"error":"The server cannot use its disk at the moment. Please try again later."}',
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(incoming, 0o700);
  }
  await uploadPhoto(base, token, picture);
  await server.close();
});
