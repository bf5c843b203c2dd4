import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = resolve(import.meta.dirname, '../../scripts/check-citations.mjs');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'potager-citations-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The output of the check about these comments, with rules A1 and A2, decision 7 and ADR 3 to cite. */
function check(...comments: string[]): { code: number | null; lines: string[] } {
  const files = {
    'docs/reference/compatibility.md':
      '| # | Governs | Rule |\n|---|---|---|\n| A1 | x | y |\n| A2 | x | y |\n| 7 | x | y |\n',
    'docs/adr/0003-two-scopes.md': '',
    'src/a.ts': comments.map((comment) => `// ${comment}\n`).join(''),
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  return { code: status, lines: (stdout + stderr).trim().split('\n') };
}

describe('check-citations', () => {
  it('passes when every citation resolves and every rule is cited', () => {
    expect(check('Sorted. [rule A1, A2, ADR 3]', 'Cut off. [decision 7]')).toEqual({
      code: 0,
      lines: ['citations: 3 rules, each cited'],
    });
  });

  it('fails on a citation that does not resolve', () => {
    expect(check('[rule A1, A2, A3] [decision 7] [ADR 4]')).toEqual({
      code: 1,
      lines: ['src/a.ts:1: rule A3 does not exist', 'src/a.ts:1: ADR 4 does not exist'],
    });
  });

  it('fails on two records with one number', () => {
    mkdirSync(join(root, 'docs/adr'), { recursive: true });
    writeFileSync(join(root, 'docs/adr/0003-three-scopes.md'), '');
    const { code, lines } = check('[rule A1, A2, ADR 3] [decision 7]');
    expect([code, lines.length, lines[0]]).toEqual([1, 1, expect.stringMatching(/:1: ADR 3 exists twice$/)]);
  });

  it('fails on a rule that is not cited', () => {
    expect(check('[rule A1] [decision 7]')).toEqual({
      code: 1,
      lines: ['docs/reference/compatibility.md:4: nothing cites rule A2'],
    });
  });

  it('fails on malformed citations and on sources that are not in the repository', () => {
    expect(
      check('[rule A1, A2] [decision 7]', '[rule of thumb]', '[reference 2.7]', '[Spec tools]', '[client JS]').lines,
    ).toEqual([
      'src/a.ts:2: [rule of thumb] is malformed',
      'src/a.ts:3: [reference 2.7] is not in the repository',
      'src/a.ts:4: [Spec tools] is not in the repository',
      'src/a.ts:5: [client JS] is not in the repository',
    ]);
  });
});
