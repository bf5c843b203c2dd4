import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createTempFolder } from './servers.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Potager as a user has it. Its dependencies are this tree's: .ci installs them for real. */
export interface Installation {
  /** The folder in which commands are pasted. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns the commands of a page, which are a clone's, as they are for this installation; empty: it has none. */
  readonly commands: (block: string) => string;
  readonly remove: () => Promise<void>;
}

async function prepare(): Promise<{
  readonly folder: string;
  readonly bin: string;
  readonly env: Record<string, string>;
}> {
  const folder = await createTempFolder();
  const bin = join(folder, '.bin');
  await mkdir(bin);
  // As on a terminal, where curl does not print its progress.
  await writeFile(join(folder, '.curlrc'), 'silent\nshow-error\n');
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, npm_config_update_notifier: 'false' };
  return { folder, bin, env };
}

/** A clone after `npm ci`: a folder with links to the files of this tree. `npm ci` and `npm test` only print their names there. */
export async function cloned(): Promise<Installation> {
  const { folder, bin, env } = await prepare();
  for (const name of ['package.json', 'node_modules', 'scripts', 'src', 'dist'])
    await symlink(join(root, name), join(folder, name));
  const npm = `#!/bin/sh\ncase $1 in ci | test) echo "npm $1" ;; *) PATH='${process.env.PATH}' exec npm "$@" ;; esac\n`;
  await writeFile(join(bin, 'npm'), npm, { mode: 0o755 });
  return { folder, env, commands: (block) => block, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The package that a release consists of, installed with the command `potager`. */
export async function released(): Promise<Installation> {
  const { folder, bin, env } = await prepare();
  const home = await createTempFolder();
  // Built already: the script `prepack` would build it again.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout);
  await run('tar', ['-xzf', filename], { cwd: home });
  const { dependencies, bin: program } = JSON.parse(await readFile(join(home, 'package/package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(home, 'package/node_modules', name);
    await mkdir(resolve(link, '..'), { recursive: true });
    await symlink(join(root, 'node_modules', name), link);
  }
  // A user installs the client library beside the script that imports it.
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(root, 'node_modules/farmbot'), join(folder, 'node_modules/farmbot'));
  const main = join(home, 'package', program.potager);
  await chmod(main, 0o755);
  await symlink(main, join(bin, 'potager'));
  return {
    folder,
    env,
    commands: (block) =>
      block
        .replaceAll('npm run potager -- ', 'potager ')
        .replace('npm ci && npm start', 'potager serve')
        .replace(/^npm ci && npm test\n$/, ''),
    remove: async () => {
      for (const each of [folder, home]) await rm(each, { recursive: true, force: true });
    },
  };
}
