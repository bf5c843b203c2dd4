// Installs the packages of folders that have some of their own, unless they are as their lock files say:
//   node scripts/install-once.mjs scripts test
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

for (const name of process.argv.slice(2)) {
  const folder = join(root, name);
  // npm writes it at the end of an installation.
  const installed = join(folder, 'node_modules/.package-lock.json');
  const locked = join(folder, 'npm-shrinkwrap.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(locked).mtimeMs) continue;
  console.error(`Installing the packages of ${name}…`);
  // No output of its own: the output of the script which needs them may be data.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    console.error(`The packages of ${name} could not be installed. Is there a network?`);
    process.exit(1);
  }
}
