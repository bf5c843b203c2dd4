import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

describe('the hook for messages of commits', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-commits-'));
    git('init', '--quiet');
    git('config', 'core.hooksPath', join(root, '.githooks'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function git(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    return spawnSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' });
  }
  const commit = (...message: string[]) =>
    git('commit', '--allow-empty', '--quiet', ...message.flatMap((m) => ['-m', m]));

  it.each([
    'fix: announce changes of public requests under the id of the request',
    'feat(console)!: add a page',
    'chore: release 0.4.0',
    `docs: say ${'é'.repeat(62)}`,
  ])('accepts %j', (subject) => {
    expect(commit(subject, 'The reason.\nIn two lines.')).toMatchObject({ status: 0, stderr: '' });
    expect(git('log', '-1', '--format=%s').stdout).toBe(`${subject}\n`);
  });

  it.each([
    [
      'add a page',
      'It does not begin with a type, a colon and a space. Types: feat, fix, perf, test, docs, refactor, chore.',
    ],
    [
      'feature: add a page',
      'It does not begin with a type, a colon and a space. Types: feat, fix, perf, test, docs, refactor, chore.',
    ],
    [
      'fix:add a page',
      'It does not begin with a type, a colon and a space. Types: feat, fix, perf, test, docs, refactor, chore.',
    ],
    [`docs: say ${'é'.repeat(63)}`, 'It has 73 characters, more than 72.'],
    ...['the page', 'adds a page', 'Pages have titles', 'pages have titles'].map((effect) => [
      `fix: ${effect}`,
      `"${effect.split(' ')[0]}" is not a verb in the imperative, such as "add". If it is, list it in scripts/check-subject.mjs.`,
    ]),
    ['fix: Add a page', '"Add" begins with a capital letter.'],
    ['fix: add a page.', 'It ends with a period.'],
    ['fix: add a page\nand a title', 'No empty line follows it.'],
  ])('refuses %j', (message, problem) => {
    const before = git('rev-parse', 'HEAD').stdout;
    const subject = message.split('\n')[0];
    expect(commit(message)).toMatchObject({
      status: 1,
      stderr: `The subject of the commit, "${subject}", is not as CONTRIBUTING.md says. ${problem}\n`,
    });
    expect(git('rev-parse', 'HEAD').stdout).toBe(before);
  });

  it('accepts what Git writes itself, and ignores comments', () => {
    writeFileSync(join(folder, 'page.md'), '# Beds\n');
    git('add', 'page.md');
    expect(commit('fix: add a page').status).toBe(0);
    git('commit', '--allow-empty', '--quiet', '--fixup', 'HEAD');
    git('revert', '--no-edit', 'HEAD~');
    expect(git('log', '-2', '--format=%s').stdout).toBe('Revert "fix: add a page"\nfixup! fix: add a page\n');
    const editor = `sh -c 'printf "# Say what changes.\\n\\nfix: name a page\\n# On branch main\\n" >"$1"' sh`;
    expect(git('-c', `core.editor=${editor}`, 'commit', '--allow-empty', '--quiet')).toMatchObject({ status: 0 });
    expect(git('log', '-1', '--format=%B').stdout).toBe('fix: name a page\n\n');
  });

  it('refuses a cherry-pick, for which Git runs no other hook, and lets its subject be edited', () => {
    const before = git('rev-parse', 'HEAD').stdout;
    git('-c', 'core.hooksPath=/dev/null', 'commit', '--allow-empty', '--quiet', '-m', 'A page');
    const picked = git('rev-parse', 'HEAD').stdout.trim();
    git('reset', '--quiet', '--hard', before.trim());
    const pick = ['cherry-pick', '--allow-empty', picked];
    const { status, stderr } = git(...pick);
    expect([status, stderr]).toEqual([128, expect.stringContaining('"A page", is not as CONTRIBUTING.md says.')]);
    expect(git('rev-parse', 'HEAD').stdout).toBe(before);
    git('cherry-pick', '--abort');
    const editor = `sh -c 'echo "docs: name a page" >"$1"' sh`;
    expect(git('-c', `core.editor=${editor}`, ...pick, '--edit')).toMatchObject({ status: 0 });
    expect(git('log', '-1', '--format=%s').stdout).toBe('docs: name a page\n');
  });

  it('is named by CONTRIBUTING with its types', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    expect(text).toContain('\ngit config core.hooksPath .githooks\n');
    const types = commit('x')
      .stderr.match(/Types: (.*)\./)?.[1]
      ?.split(', ');
    expect(types).toHaveLength(7);
    for (const type of types ?? []) expect(text).toContain(`\`${type}:\``);
  });
});
