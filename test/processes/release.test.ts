import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

describe('the package', () => {
  const filesIn = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const code = filesIn('dist').filter((path) => /\.m?js$/.test(path));

  it('has the files that the program needs at run time, its documents, and nothing else', () => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
    const [{ files }] = JSON.parse(output.toString()) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('dist/')).sort()).toEqual(
      filesIn('dist')
        .filter((path) => !path.endsWith('/.built'))
        .sort(),
    );
    expect(paths).toContain('dist/robot/lua/sandbox.lua');
    for (const path of ['pages/browser/tokens.css', 'console/index.html', 'console/licenses.md'])
      expect(paths).toContain(`dist/${path}`);
    expect(paths).not.toContainEqual(
      expect.stringMatching(/\.map$|\.test\.|(^|\/)(src|test|scripts|node_modules|flames)\//),
    );
    const others = paths.filter((path) => !/^(dist|docs|deploy)\/|\.md$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'NOTICE', 'npm-shrinkwrap.json', 'package.json']);
    const targets = new Set(paths.flatMap((path) => [path, dirname(path)]));
    for (const path of paths.filter((name) => name.endsWith('.md')))
      for (const [, file = ''] of readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)#\s:]+)[)#]/g)) {
        const target = join(dirname(path), file);
        // Pages about the source code, and flame graphs, are for people who have it.
        if (!/^((src|test|scripts|bench|docs\/images\/flames)\/|findings$|Containerfile|compose)/.test(target))
          expect(targets, `${path}: ${file}`).toContain(target);
      }
  });

  it('starts with Node.js, and does not name the folder where it was built', () => {
    expect(readFileSync(join(root, 'dist/main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    for (const path of filesIn('dist')) expect(readFileSync(join(root, path), 'utf8'), path).not.toContain(root);
  });

  it('is started with the same limit of memory in a clone, in a container and as a service', () => {
    const limits = ['package.json', 'Containerfile', 'deploy/potager.service'].map((path) =>
      readFileSync(join(root, path), 'utf8').match(/--max-semi-space-size=\d+/g),
    );
    expect(limits).toEqual(Array(3).fill(['--max-semi-space-size=8']));
  });

  it('imports its dependencies only, and all of them', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const statement = /^(?:import|export) (?:[^;'"]*? from )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
    const imported = code.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(statement)].map(([, name, loaded]) => name ?? loaded ?? ''),
    );
    const packages = new Set(
      imported.filter((name) => !/^(\.|node:)/.test(name)).map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]),
    );
    expect([...packages].sort()).toEqual(Object.keys(dependencies).sort());
  });
});

describe('the version of a release', () => {
  let folder: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const commit = () => {
    git('add', '.');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message=x');
  };
  const setVersion = (version: string) => {
    const script = join(root, 'scripts/release-version.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, version, folder]);
    return { status, error: stderr.toString() };
  };
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Carrots.\n\n## [1.9.0] - 2026-01-02\n\n- Leeks.\n';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-release-'));
    for (const name of ['package.json', 'npm-shrinkwrap.json']) cpSync(join(root, name), join(folder, name));
    write('CHANGELOG.md', changelog);
    mkdirSync(join(folder, 'docs'));
    write('docs/install.md', 'npm install ./potager-1.9.0.tgz, as since 1.9.0, or `npx ./potager-client-1.9.0.tgz`\n');
    git('init', '--quiet');
    commit();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is written to the package, the lock file and the changelog, and nothing else changes', () => {
    const earlier = ['package.json', 'npm-shrinkwrap.json'].map((name) => JSON.parse(read(name)));
    expect(setVersion('1.10.0')).toEqual({ status: 0, error: '' });
    const today = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md')).toBe(
      changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [1.10.0] - ${today}\n`),
    );
    const [content, lock] = earlier;
    expect(JSON.parse(read('package.json'))).toEqual({ ...content, version: '1.10.0' });
    const packages = { ...lock.packages, '': { ...lock.packages[''], version: '1.10.0' } };
    expect(JSON.parse(read('npm-shrinkwrap.json'))).toEqual({ ...lock, version: '1.10.0', packages });
    expect(read('docs/install.md')).toBe(
      'npm install ./potager-1.10.0.tgz, as since 1.9.0, or `npx ./potager-client-1.10.0.tgz`\n',
    );
    commit();
    expect(setVersion('1.11.0').error).toContain('no entries');
  });

  it.each(['1.9.0', '1.8.9', '0.10.0'])('must be greater: %s', (version) => {
    expect(setVersion(version)).toEqual({
      status: 1,
      error: `${version} is not greater than 1.9.0, the last version in CHANGELOG.md.\n`,
    });
  });

  it.each(['', '2', '2.0', 'v2.0.0', '2.0.0-rc.1', '2.0.0 '])('has three numbers: "%s"', (version) => {
    expect(setVersion(version)).toEqual({ status: 1, error: `A version has the form 1.2.3, not "${version}".\n` });
  });

  it('needs a clean tree and entries in the changelog', () => {
    write('notes.txt', 'x');
    expect(setVersion('2.0.0')).toEqual({ status: 1, error: 'Commit these changes first:\n?? notes.txt\n' });
    write('CHANGELOG.md', changelog.replace('- Carrots.\n\n', ''));
    commit();
    expect(setVersion('2.0.0')).toEqual({ status: 1, error: 'CHANGELOG.md has no entries under "Unreleased".\n' });
    expect(git('status', '--porcelain').toString()).toBe('');
  });
});
