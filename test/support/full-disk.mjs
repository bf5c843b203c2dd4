// Preloaded into servers: writes of files fail as on a full disk, in each folder with a file named `.full`. Needs no privileges, unlike a small file system.
import { existsSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';

const { open } = promises;

promises.open = async (path, ...options) => {
  const file = await open(path, ...options);
  if (!existsSync(join(dirname(String(path)), '.full'))) return file;
  file.writeFile = async () => {
    const error = new Error('ENOSPC: no space left on device, write');
    throw Object.assign(error, { errno: -28, code: 'ENOSPC', syscall: 'write' });
  };
  return file;
};
syncBuiltinESMExports();
