// Checks the documents: links, anchors and images, mentions of pages in code, the index of docs, the width of lines, that
// a page shows each picture, and that the change log and the names of packages have the version of package.json.
//   node scripts/check-documents.mjs [root]
//   node scripts/check-documents.mjs --fill    fills the paragraphs that have lines that are too long
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve, sep } from 'node:path';
import { anchorsOf, filled, lineWidth, linkedPaths, linksOf, markdownLines } from './document-text.mjs';
import { packageFile, versionsOf } from './release-version.mjs';
import { sourceFiles } from './source-files.mjs';

const isFilling = process.argv[2] === '--fill';
const root = resolve((isFilling ? undefined : process.argv[2]) ?? join(import.meta.dirname, '..'));
const { filesIn, read } = sourceFiles(root);

/** Maximum number of lines of README. */
const readmeLines = 110;
/** Maximum number of lines of a version in CHANGELOG.md: a screen. Documents have the details. */
const versionLines = 50;
/** Commands of README that stay as they are: people and scripts rely on them. */
const readmeCommands = ['npm ci && npm start', 'npm ci && npm test'];
/** The page that lists all others. */
const pageList = 'docs/README.md';

const top = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => entry.name);
const folders = ['docs', 'src', 'scripts', 'bench', 'deploy', 'client', '.ci', 'test'];
const files = [...top, ...folders.flatMap(filesIn)];
const documents = files.filter((file) => file.endsWith('.md'));

const violations = [];
const report = (file, line, sentence) => violations.push(`${file}:${line}: ${sentence}`);
const anchors = new Map(documents.map((file) => [file, anchorsOf(read(file))]));

/** Reports a link from a file to another, as a path from the root with an optional anchor. */
function checkTarget(file, line, path, anchor) {
  const target = normalize(path).split(sep).join('/').replace(/\/$/, '');
  if (target.startsWith('..')) report(file, line, `${path} is outside of the repository`);
  else if (!existsSync(join(root, target))) report(file, line, `${target} does not exist`);
  else if (anchor && anchors.has(target) && !anchors.get(target).has(anchor))
    report(file, line, `${target} has no heading #${anchor}`);
}

function checkLinks(file) {
  for (const { target, line } of linksOf(read(file))) {
    if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
    const [path, anchor] = decodeURIComponent(target).split('#');
    checkTarget(file, line, path === '' ? file : join(dirname(file), path), anchor);
  }
}

/** Texts of the program and of scripts name pages from the root. */
const mention =
  /(?<![\w./-])((?:docs\/[\w/-]+|README|SECURITY|CONTRIBUTING|ARCHITECTURE|CHANGELOG)\.md)(?:#([\w-]+))?/g;

function checkMentions(file) {
  for (const [index, line] of read(file).split('\n').entries())
    for (const [, path, anchor] of line.matchAll(mention)) checkTarget(file, index + 1, path, anchor);
}

function checkWidth(file) {
  const text = read(file);
  const narrow = filled(text);
  if (narrow === text) return;
  if (isFilling) return writeFileSync(join(root, file), narrow);
  const index = markdownLines(text).findIndex((line) => line.kind === 'prose' && line.text.length > lineWidth);
  report(file, index + 1, `has more than ${lineWidth} characters: node scripts/check-documents.mjs --fill`);
}

function checkReadme() {
  const text = read('README.md');
  const lines = text.trimEnd().split('\n');
  if (lines.length > readmeLines) report('README.md', lines.length, `has more than ${readmeLines} lines`);
  for (const command of readmeCommands)
    if (!lines.includes(command)) report('README.md', 1, `does not contain the line "${command}"`);
  if (!linkedPaths(['README.md'], read).has(pageList)) report('README.md', lines.length, `does not link ${pageList}`);
}

/** Reports pages that the index does not list, or more than once. Of decisions it lists the folder. */
function checkIndex() {
  const listed = linksOf(read(pageList)).map(({ target }) => join(dirname(pageList), target.split('#')[0]));
  for (const page of documents) {
    if (!page.startsWith('docs/') || page.startsWith('docs/adr/') || page === pageList) continue;
    const count = listed.filter((target) => target === page).length;
    if (count !== 1) report(pageList, 1, `lists ${page} ${count} times, not once`);
  }
}

/** The notation of all pages: `{id}` in paths and topics, the variables API and TOKEN in commands, tokens as bearers. */
const notations = [
  {
    in: 'text',
    pattern: /\/:[a-z_]+|\/<[A-Za-z_]+>|device_(?:<|N\b)/,
    sentence: 'write a part of a path or topic as {id}',
  },
  { in: 'code', pattern: /localhost:3000\/api\//, sentence: 'write $API instead of http://localhost:3000/api' },
  { in: 'code', pattern: /\bauthorization['"]?: (?!.*Bearer )/i, sentence: 'write Authorization: Bearer $TOKEN' },
];
/** Where a page says what the variables of its commands are. */
const ofVariables = /^(?:export )?TOKEN=|\]\((?:docs\/)?(?:api\.md#sign-in|first-steps\.md)\)/m;

function checkNotation(file) {
  const text = read(file);
  const lines = markdownLines(text);
  for (const [index, { text: line, kind }] of lines.entries())
    for (const { in: place, pattern, sentence } of notations)
      if ((kind === 'code') === (place === 'code') && pattern.test(line)) report(file, index + 1, sentence);
  const index = lines.findIndex(({ text: line, kind }) => kind === 'code' && /\$(?:API|TOKEN)\b/.test(line));
  if (index >= 0 && !ofVariables.test(text))
    report(file, index + 1, 'link to api.md#sign-in, which sets API and TOKEN');
}

/** Reports pictures that no document shows or links to. */
function checkPictures() {
  const shown = linkedPaths(documents, read);
  for (const file of filesIn('docs/images')) if (!shown.has(file)) report(file, 1, 'no page shows it');
}

function checkVersion() {
  const { version } = JSON.parse(read('package.json'));
  const versions = versionsOf(read('CHANGELOG.md'));
  if (versions[0]?.name !== version) report('CHANGELOG.md', 1, `does not begin with version ${version}`);
  for (const { name, text } of versions) {
    const { length } = text.split('\n');
    if (length > versionLines)
      report('CHANGELOG.md', 1, `has ${length} lines about ${name}, more than ${versionLines}`);
  }
  for (const file of documents)
    for (const [index, line] of read(file).split('\n').entries())
      for (const [name, named] of line.matchAll(packageFile))
        if (named !== version) report(file, index + 1, `names ${name}, not version ${version}`);
}

for (const file of documents) {
  checkWidth(file);
  checkNotation(file);
  checkLinks(file);
}
for (const file of files) {
  const isText = /\.(ts|mjs|js|json|ya?ml|sh|service|conf|html|css)$|(^|\/)[^.]+$/.test(file);
  if (isText && !/^test\/|\.test\.ts$|^npm-shrinkwrap\.json$/.test(file)) checkMentions(file);
}
if (documents.includes('README.md')) checkReadme();
if (documents.includes(pageList)) checkIndex();
checkPictures();
if (top.includes('package.json')) checkVersion();

if (violations.length > 0) {
  console.error(violations.join('\n'));
  process.exitCode = 1;
} else console.log(`documents: ${documents.length} files, links and lines are in order`);
