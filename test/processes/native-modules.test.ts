import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asDriverError } from '../../src/core/native-module.ts';

const root = resolve(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');
const machine = `${process.platform}-${process.arch}`;

describe('a native module that cannot be loaded', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'potager-native-')));
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Links all packages, except that `broken` is copied without its files that match `omitted`, and packages that match are missing. */
  function install(broken: string, omitted: RegExp): void {
    const link = (name: string) => {
      const path = join(folder, 'node_modules', name);
      mkdirSync(dirname(path), { recursive: true });
      if (name === broken) {
        const filter = (source: string) => !omitted.test(source.slice(modules.length));
        cpSync(join(modules, name), path, { recursive: true, filter });
      } else if (!omitted.test(`/${name}`)) symlinkSync(join(modules, name), path);
    };
    for (const name of readdirSync(modules).filter((each) => !each.startsWith('.')))
      if (!name.startsWith('@')) link(name);
      else for (const inner of readdirSync(join(modules, name))) link(`${name}/${inner}`);
  }

  const run = (...args: string[]) => {
    const env = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), PORT: '0', MQTT_PORT: '0' };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/main.js', ...args], { cwd: folder, env });
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  };

  it('better-sqlite3 without a binary is compiled by npm rebuild', () => {
    install('better-sqlite3', /\/better-sqlite3\/(build|deps|src)/);
    const message = `better-sqlite3 has no binary for this machine (${machine}). Run "npm rebuild better-sqlite3" in ${folder}: it downloads a binary, or compiles one with python3, make and g++.`;
    for (const command of ['serve', 'migrate'])
      expect([command, run(command)]).toEqual([command, { status: 1, stdout: '', stderr: `${message}\n` }]);
    const { status, stdout } = run('doctor');
    expect(stdout).toContain(`FAIL  native modules: ${message}\n`);
    expect(status).toBe(1);
    expect(run('--version').status).toBe(0);
  });

  it('better-sqlite3 that is damaged is replaced by npm rebuild', () => {
    install('better-sqlite3', /\/better-sqlite3\/(build|deps|src)/);
    mkdirSync(join(folder, 'node_modules/better-sqlite3/build'));
    writeFileSync(join(folder, 'node_modules/better-sqlite3/build/better_sqlite3.node'), 'no library');
    const { status, stderr } = run('migrate');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^better-sqlite3 cannot be loaded \(.*better_sqlite3\.node.*\)\. Run "npm rebuild better-sqlite3" in .*\n$/,
    );
  });

  it.each([
    ['@node-rs/argon2', /\/argon2-/],
    ['sharp', /\/@img\/sharp/],
  ])('%s is installed with Potager', (name, omitted) => {
    install(name, omitted);
    const message = `${name} has no binary for this machine (${machine}). Install Potager again on this machine, without omitting optional dependencies.`;
    // The server needs sharp for photos only.
    if (name !== 'sharp') expect(run('serve')).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
    expect(Object.values(run('doctor')).join('\n')).toContain(message);
  });
});

it('the driver of another version of Node.js is recognized', () => {
  const path = '/usr/lib/node_modules/potager/node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  const cause = Object.assign(
    new Error(
      `The module '${path}'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling or re-installing\nthe module (for instance, using \`npm rebuild\` or \`npm install\`).`,
    ),
    { code: 'ERR_DLOPEN_FAILED' },
  );
  expect(asDriverError(cause)).toMatchObject({
    message: `better-sqlite3 was installed for another version of Node.js than this one (${process.versions.node}). Run "npm rebuild better-sqlite3" in ${root}: it downloads a binary, or compiles one with python3, make and g++.`,
    cause,
  });
  const other = new Error('unable to open database file');
  expect(asDriverError(other)).toBe(other);
});

it('npm start, npm test and npm run potager ask for npm ci first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'potager-clone-'));
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), {
    recursive: true,
    filter: (path) => !path.endsWith('/node_modules'),
  });
  for (const script of ['start', 'test', 'potager']) {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    });
    expect([script, status, stdout.toString(), stderr.toString()]).toEqual([script, 1, '', 'Run npm ci first.\n']);
  }
  rmSync(folder, { recursive: true });
});
