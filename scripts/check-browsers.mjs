// Checks that the styles of pages use nothing that a browser of console/browsers.json lacks, and that the documents name these
// browsers. Scripts are checked by their types.
//   node scripts/check-browsers.mjs [root]
import { join, resolve } from 'node:path';
import { lackedBy, minimums } from './browser-support.mjs';
import { sourceFiles } from './source-files.mjs';

const { filesIn, read } = sourceFiles(resolve(process.argv[2] ?? join(import.meta.dirname, '..')));

/** Properties that the build repeats with the prefix of older browsers. */
const prefixed = ['mask-image', 'print-color-adjust', 'user-select'];

/** Without them pages look a little different, or need more time. */
const dispensable = [
  '-webkit-search-cancel-button',
  '-webkit-tap-highlight-color',
  'content-visibility',
  'forced-color-adjust',
  'orphans',
  'scrollbar-width',
  'text-wrap',
  'widows',
];

/** Returns a style without comments, texts, and what only browsers with a certain feature read. */
function neededParts(style) {
  const plain = style.replace(/\/\*[\s\S]*?\*\/|"[^"]*"/g, '');
  const start = /@supports[^{]*\{/.exec(plain);
  if (!start) return plain;
  let end = start.index + start[0].length;
  for (let depth = 1; depth > 0; end++) depth += { '{': 1, '}': -1 }[plain[end]] ?? 0;
  return plain.slice(0, start.index) + neededParts(plain.slice(end));
}

/** Returns the features of a style, as paths of browser-compat-data. */
function featuresOf(style) {
  const all = (pattern, path) => [...style.matchAll(pattern)].map(([, name, value]) => path(name, value));
  return [
    ...all(/@([\w-]+)/g, (name) => ['css', 'at-rules', name]),
    ...all(/::?([\w-]+)/g, (name) => ['css', 'selectors', name]),
    ...all(/[{;]\s*([a-z-]+):/g, (name) => ['css', 'properties', name]),
    ...all(/[{;]\s*([a-z-]+):\s*([a-z-]+)\s*[;}]/g, (name, value) => ['css', 'properties', name, value]),
    ...all(/([\w-]+)\(/g, (name) => ['css', 'types', name]),
    ...all(/([\w-]+)\(/g, (name) => ['css', 'types', 'color', name]),
  ];
}

const styles = ['console/src', 'src/pages/browser'].flatMap(filesIn).filter((file) => file.endsWith('.css'));
for (const file of styles)
  for (const path of featuresOf(neededParts(read(file)))) {
    const browsers = [...prefixed, ...dispensable].includes(path[2]) ? [] : lackedBy(path);
    if (browsers.length === 0) continue;
    console.error(`${file}: ${path.slice(2).join(': ')} is not in the oldest ${browsers.join(' and ')}`);
    process.exitCode = 1;
  }

const page = 'docs/console.md';
for (const [browser, version] of minimums)
  if (!new RegExp(`\\b${browser} ${version}\\b`, 'i').test(read(page))) {
    console.error(`${page}: the oldest ${browser} is ${version}`);
    process.exitCode = 1;
  }
