// Checks that every citation in a comment resolves, and that every rule is cited.
//   node scripts/check-citations.mjs [root]
// A citation names rules and decisions of docs/reference/compatibility.md and records of docs/adr: [rule A3, A4, decision 14, ADR 5].
import { join, resolve } from 'node:path';
import { sourceFiles } from './source-files.mjs';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const { filesIn, read } = sourceFiles(root);
const page = 'docs/reference/compatibility.md';
const citation = /\[((?:rule|decision|ADR) [^\]]*)\]/g;
/** Sources that are not in the repository. */
const outside = /\[(?:reference|Spec|client)\b(?! ?[.(,])[^\]]*\]/g;

const violations = [];
const report = (file, line, sentence) => violations.push(`${file}:${line}: ${sentence}`);

/** Line numbers by name: `rule A3`, `decision 14`, `ADR 5`. */
const declared = new Map();
for (const [index, line] of read(page).split('\n').entries()) {
  const id = /^\| ([A-Z]?\d+) \|/.exec(line)?.[1];
  if (id === undefined) continue;
  const name = /^\d/.test(id) ? `decision ${id}` : `rule ${id}`;
  if (declared.has(name)) report(page, index + 1, `${name} is declared twice`);
  declared.set(name, index + 1);
}
const records = new Set();
for (const file of filesIn('docs/adr')) {
  const name = `ADR ${Number.parseInt(file.split('/').at(-1), 10)}`;
  if (records.has(name)) report(file, 1, `${name} exists twice`);
  records.add(name);
}

/** Returns the names in a citation; an id without a word has the word of the id before it. Null when it is malformed. */
function namesIn(list) {
  const names = [];
  let word = '';
  for (const item of list.split(', ')) {
    const [, own, id] = /^(?:(rule|decision|ADR) )?([A-Z]?\d+)$/.exec(item) ?? [];
    if (id === undefined) return null;
    word = own ?? word;
    names.push(`${word} ${id}`);
  }
  return names;
}

const cited = new Set();
const code = ['src', 'test', 'bench', 'scripts'].flatMap(filesIn).filter((file) => /\.(ts|mjs|js)$/.test(file));
for (const file of code.filter(
  (each) => !each.endsWith('check-citations.mjs') && !each.endsWith('check-citations.test.ts'),
)) {
  for (const [index, line] of read(file).split('\n').entries()) {
    for (const [whole] of line.matchAll(outside)) report(file, index + 1, `${whole} is not in the repository`);
    for (const [whole, list] of line.matchAll(citation)) {
      const names = namesIn(list);
      if (names === null) report(file, index + 1, `${whole} is malformed`);
      for (const name of names ?? []) {
        if (declared.has(name) || records.has(name)) cited.add(name);
        else report(file, index + 1, `${name} does not exist`);
      }
    }
  }
}
for (const [name, line] of declared) if (!cited.has(name)) report(page, line, `nothing cites ${name}`);

if (violations.length > 0) {
  console.error(violations.join('\n'));
  process.exitCode = 1;
} else console.log(`citations: ${declared.size} rules, each cited`);
