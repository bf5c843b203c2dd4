// Runs all checks of the structure, also after one that fails: `npm run structure`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

for (const name of ['structure', 'citations', 'documents', 'lock']) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `check-${name}.mjs`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
