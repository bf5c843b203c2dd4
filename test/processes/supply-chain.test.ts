import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const npm = async (...args: string[]) => (await run('npm', ['run', '--silent', ...args], { cwd: root })).stdout;

describe('the check of the lock file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Returns the violations in a lock file with these packages. */
  async function violations(packages: object, allowScripts = {}, version = '1.10.0'): Promise<string> {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, allowScripts }));
    const lock = { version: '1.10.0', packages: { '': { version: '1.10.0' }, ...packages } };
    writeFileSync(join(folder, 'npm-shrinkwrap.json'), JSON.stringify(lock));
    return run(process.execPath, [join(root, 'scripts/check-lock.mjs'), folder]).then(
      () => '',
      (error: { stderr: string }) => error.stderr.trim(),
    );
  }

  it('requires an integrity hash and a decision about install scripts', async () => {
    const integrity = 'sha512-x';
    expect(await violations({ 'node_modules/a': { integrity } })).toBe('');
    for (const entry of [{}, { integrity: 'sha1-x' }])
      expect(await violations({ 'node_modules/a': entry })).toBe(
        'npm-shrinkwrap.json: node_modules/a has no sha512 integrity',
      );
    const withScript = { 'node_modules/a/node_modules/@b/c': { integrity, hasInstallScript: true } };
    expect(await violations(withScript)).toBe(
      'package.json: decide in allowScripts whether the install script of @b/c may run',
    );
    expect(await violations(withScript, { '@b/c': false })).toBe('');
  });

  it('requires the version of the package', async () => {
    const sentence = 'npm-shrinkwrap.json: the version is 1.10.0, not 1.11.0 as in package.json';
    expect(await violations({}, {}, '1.11.0')).toBe(`${sentence}\n${sentence}`);
  });
});

it('there is one lock file, which the release contains', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(files).toContain('npm-shrinkwrap.json');
  expect(existsSync(join(root, 'package-lock.json'))).toBe(false);
});

describe('the run-time dependencies', () => {
  it('send no telemetry when they are installed', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'npm-shrinkwrap.json'), 'utf8'));
    expect(Object.keys(packages).filter((path) => path.endsWith('@scarf/scarf'))).toEqual([]);
  });

  it('are listed with their licenses, each of which is known', async () => {
    const list = await npm('licenses');
    expect(list).toMatch(/^MIT \(\d+\): .*better-sqlite3@/m);
    expect(list).toMatch(/^Apache-2\.0 \(\d+\): .*react-aria@/m);
    expect(list).not.toMatch(/vitest|unknown/);
  });

  it('are listed in a CycloneDX document', async () => {
    const document = JSON.parse(await npm('sbom'));
    expect(document.bomFormat).toBe('CycloneDX');
    const listed: string[] = document.components.map(({ purl }: { purl: string }) =>
      decodeURIComponent(purl).replace(/^pkg:npm\//, ''),
    );
    // Packages that developers' packages need as well, such as pg and pino, are easily left out.
    const { packages } = JSON.parse(readFileSync(join(root, 'npm-shrinkwrap.json'), 'utf8'));
    const locked = Object.keys(packages).filter((path) => path !== '' && !packages[path].dev);
    const names = locked.map((path) => `${path.replace(/^.*node_modules\//, '')}@${packages[path].version}`);
    expect(listed).toEqual(expect.arrayContaining(names));
    // Packages in the console are listed, too, and nothing else that developers need.
    const others = listed.filter((each) => !names.includes(each)).map((each) => each.slice(0, each.lastIndexOf('@')));
    expect(others).toEqual(
      expect.arrayContaining(['react', 'react-aria', '@iconify-json/lucide', '@codemirror/view', 'uplot']),
    );
    expect(others.filter((each) => /^(vite|vitest|typescript|react-is|@types\/.*)$/.test(each))).toEqual([]);
  });
});
