import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';

const script = resolve(import.meta.dirname, '../../scripts/check-documents.mjs');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'potager-documents-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The output of the check about these files, with a page docs/beds.md that has the heading "Raised beds: `how`". */
function check(files: Record<string, string>): { code: number | null; lines: string[] } {
  const page = '# Beds\n\n## Raised beds: `how`\n\n## Raised beds: `how`\n';
  for (const [file, content] of Object.entries({ 'docs/beds.md': page, ...files })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  return { code: status, lines: (stdout + stderr).trim().split('\n') };
}

describe('check-documents', () => {
  it('passes when all links, anchors, images and mentions resolve', () => {
    const links = [
      '[a](docs/beds.md) [b](docs/beds.md#raised-beds-how) [c](docs/beds.md#raised-beds-how-1) [d](#title) [e](docs)',
      '![bed](docs/bed.png) [f](https://example.org/none.md) `[g](none.md)`',
      '```',
      '[h](none.md)',
      '```',
    ].join('\n');
    expect(
      check({
        'CHANGELOG.md': `# Title\n\n${links}\n`,
        'docs/bed.png': '',
        'src/a.ts': "const help = 'See docs/beds.md#raised-beds-how.';\n",
      }),
    ).toEqual({ code: 0, lines: ['documents: 2 files, links and lines are in order'] });
  });

  it('fails on links, anchors, images and mentions that do not resolve', () => {
    expect(
      check({
        'CHANGELOG.md':
          '# Title\n\n[a](docs/none.md)\n![b](docs/none.png) [c\nd](docs/beds.md#none)\n[e](#none)\n[f](../x.md)\n\n[g]: none.md\n',
        'docs/more.md': '[a](docs/beds.md)\n',
        'src/a.ts': "// See docs/beds.md.\nconst help = 'See docs/beds.md#none and docs/none.md';\n",
      }),
    ).toEqual({
      code: 1,
      lines: [
        'CHANGELOG.md:3: docs/none.md does not exist',
        'CHANGELOG.md:4: docs/none.png does not exist',
        'CHANGELOG.md:5: docs/beds.md has no heading #none',
        'CHANGELOG.md:6: CHANGELOG.md has no heading #none',
        'CHANGELOG.md:7: ../x.md is outside of the repository',
        'CHANGELOG.md:9: none.md does not exist',
        'docs/more.md:1: docs/docs/beds.md does not exist',
        'src/a.ts:2: docs/beds.md has no heading #none',
        'src/a.ts:2: docs/none.md does not exist',
      ],
    });
  });

  it('fails on prose with more than 120 characters in a line, but not on tables, code and headings', () => {
    const long = 'word '.repeat(25).trim();
    const wide = `# ${long}\n\n| ${long} |\n|---|\n\n\`\`\`sh\n${long}\n\`\`\`\n`;
    expect(check({ 'docs/more.md': wide }).code).toBe(0);
    expect(check({ 'docs/more.md': `${wide}\nShort.\n${long}\n` }).lines).toEqual([
      'docs/more.md:11: has more than 120 characters: node scripts/check-documents.mjs --fill',
    ]);
  });

  it('holds README to its length, its commands and the link to the index', () => {
    const readme = (more = '') =>
      `# Potager\n\n\`\`\`sh\nnpm ci && npm start\nnpm ci && npm test\n\`\`\`\n${more}\n[All pages](docs/README.md)\n`;
    const index = { 'docs/README.md': '[Beds](beds.md)\n' };
    expect(check({ ...index, 'README.md': readme() }).code).toBe(0);
    const long = readme('\n'.repeat(103)).replace('npm test', 'npm run test').replace('docs/README.md', 'docs/beds.md');
    expect(check({ ...index, 'README.md': long }).lines).toEqual([
      'README.md:111: has more than 110 lines',
      'README.md:1: does not contain the line "npm ci && npm test"',
      'README.md:111: does not link docs/README.md',
    ]);
  });

  it('holds the index of docs to one link for each page, whatever its folder', () => {
    const pages = { 'docs/reference/soil.md': '# Soil\n', 'docs/adr/0001-soil.md': '# Soil\n' };
    const listing = (text: string) => check({ ...pages, 'docs/README.md': text });
    expect(listing('[Beds](beds.md) [Soil](reference/soil.md) [decisions](adr)\n').code).toBe(0);
    expect(listing('[Beds](beds.md) [again](beds.md#beds)\n').lines).toEqual([
      'docs/README.md:1: lists docs/beds.md 2 times, not once',
      'docs/README.md:1: lists docs/reference/soil.md 0 times, not once',
    ]);
  });

  it('holds all pages to one notation of paths, topics, addresses and tokens', () => {
    const code = (text: string) => `\n\`\`\`sh\n${text}\n\`\`\`\n`;
    const good = `\`GET /api/tools/{id}\` on \`bot/device_{id}/logs\`, [as](api.md#sign-in)\n${code(
      'curl $API/tools/7 -H "Authorization: Bearer $TOKEN"\necho /:id',
    )}`;
    const api = '# API\n\n## Sign in\n';
    expect(check({ 'docs/more.md': good, 'docs/api.md': api }).code).toBe(0);
    const bad = `\`/api/tools/:id\`, \`/api/tools/<id>\`\n| \`device_N\`, \`bot/device_<id>\` |\n${code(
      'curl http://localhost:3000/api/tools\nheaders: { authorization: token }\ncurl $API/tools -H "Authorization: $TOKEN"',
    )}`;
    expect(check({ 'docs/more.md': bad }).lines).toEqual([
      'docs/more.md:1: write a part of a path or topic as {id}',
      'docs/more.md:2: write a part of a path or topic as {id}',
      'docs/more.md:5: write $API instead of http://localhost:3000/api',
      'docs/more.md:6: write Authorization: Bearer $TOKEN',
      'docs/more.md:7: write Authorization: Bearer $TOKEN',
      'docs/more.md:7: link to api.md#sign-in, which sets API and TOKEN',
    ]);
  });

  it('fails on a picture that no page shows or links to', () => {
    const files = { 'docs/images/bed.png': '', 'docs/images/flames/a.svg': '', 'docs/images/old.png': '' };
    const more = '![bed](images/bed.png) [graph](images/flames/a.svg)\n\n```\n![old](images/old.png)\n```\n';
    expect(check({ ...files, 'docs/more.md': more }).lines).toEqual(['docs/images/old.png:1: no page shows it']);
    expect(check({ ...files, 'docs/more.md': more.replaceAll('```', '') }).code).toBe(0);
  });

  it('holds the change log and the names of packages to the version, and a version to a screen', () => {
    const files = (lines: number, name: string) => ({
      'package.json': '{"version":"1.10.0"}',
      'CHANGELOG.md': `# Changes\n\n## [Unreleased]\n\n- Peas.\n\n## [1.10.0] - 2026-01-02\n\n${'- Leeks.\n'.repeat(lines)}`,
      'docs/more.md': `Since 1.9.0:\n\`npx ./potager-client-${name}.tgz\`\n`,
    });
    expect(check(files(50, '1.10.0')).code).toBe(0);
    expect(check(files(51, '1.9.0')).lines).toEqual([
      'CHANGELOG.md:1: has 51 lines about 1.10.0, more than 50',
      'docs/more.md:2: names potager-client-1.9.0.tgz, not version 1.10.0',
    ]);
    expect(check({ ...files(1, '1.11.0'), 'package.json': '{"version":"1.11.0"}' }).lines).toEqual([
      'CHANGELOG.md:1: does not begin with version 1.11.0',
    ]);
  });
});

describe('filled', () => {
  const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ');

  it('fills paragraphs and list items that are too long, and changes nothing else', () => {
    const short = 'Not filled,\nbecause it is short.\n\n- one\n- two\n';
    expect(filled(`${short}\n- ${words(30)}\n  more\n- ${words(2)}\n`)).toBe(
      `${short}\n- ${words(23)}\n  ${words(7)} more\n- ${words(2)}\n`,
    );
  });

  it('does not break code and links, and starts no line with a Markdown marker', () => {
    expect(filled(`${words(22)} \`one two three\` end\n`)).toBe(`${words(22)}\n\`one two three\` end\n`);
    expect(filled(`${words(22)} ([one two three](x.md)) end\n`)).toBe(`${words(22)}\n([one two three](x.md)) end\n`);
    expect(filled(`${words(23)} word - 12. word\n`)).toBe(`${words(23)}\nword - 12. word\n`);
  });
});

it('every document of this repository is in order', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect([status, (stdout + stderr).replace(/\d+/, 'N')]).toEqual([
    0,
    'documents: N files, links and lines are in order\n',
  ]);
  const { scripts } = JSON.parse(readFileSync(resolve(script, '../../package.json'), 'utf8'));
  expect(scripts.structure).toBe('node scripts/check.mjs');
  expect(readFileSync(resolve(script, '../check.mjs'), 'utf8')).toContain("'documents'");
});
