// The types of what every browser of console/browsers.json has: the compiler's own library for pages without what is newer.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { lackedBy } from './browser-support.mjs';

/** The file of the compiler for this machine. */
function libraryFile() {
  const compiler = createRequire(createRequire(import.meta.url).resolve('typescript/package.json'));
  const own = compiler.resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`);
  return join(dirname(own), 'lib/lib.dom.d.ts');
}

/** Requests and responses have it; the library links to the former, which not all browsers have. */
const otherPages = { 'Request/body': 'Response/body' };

/** Returns the library without the members, functions and classes that a browser lacks: each follows a link to its page on MDN. */
export function browserTypes() {
  const kept = [];
  const newClasses = new Set();
  let isNew = false;
  let isInNewClass = false;
  // Its license, which is a comment, comes first.
  const library = readFileSync(libraryFile(), 'utf8').replace(/^\/\*![\s\S]*?\*\//, '');
  for (const line of library.split('\n')) {
    const [, page] = /\/docs\/Web\/API\/([\w/]+)\)/.exec(line) ?? [];
    if (page) isNew = lackedBy(['api', ...(otherPages[page] ?? page).split('/')]).length > 0;
    if (/^ *(\/\*\*|\*)/.test(line)) continue;
    const [, kind, name] = /^(interface|declare var) (\w+)/.exec(line) ?? [];
    if (kind === 'interface' && isNew) newClasses.add(name);
    // Types of parameters and results remain; they are in no browser.
    isInNewClass ||= kind === 'declare var' && newClasses.has(name) && line.endsWith('{');
    const isMember = /^( {4}\S|declare function|declare var)/.test(line);
    if (!isInNewClass && !(isNew && isMember)) kept.push(line);
    if (line === '};') isInNewClass = false;
    if (line.trim() !== '' && !(isMember && isNew && line.endsWith('{'))) isNew = false;
  }
  return kept.join('\n');
}
