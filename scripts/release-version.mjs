// Sets the version of a release, if it is greater than the last one in CHANGELOG.md, also in the documents that name the
// package, and moves the changelog's "Unreleased" entries to it, with today's date:
//   node scripts/release-version.mjs VERSION [root]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const unreleased = 'Unreleased';

/** Matches the name of the file of the server's package or of the client's. */
export const packageFile = /\bpotager-(?:client-)?(\d+\.\d+\.\d+)\.tgz\b/g;

/** Returns the sections of a changelog, newest first: the name in brackets, and the text below the heading. */
const sectionsOf = (changelog) =>
  [...changelog.matchAll(/^## \[(.+?)\].*\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)].map(([, name, text]) => ({
    name,
    text: text.trim(),
  }));

/** Returns the entries of a version, or of "Unreleased" if the changelog does not have the version yet. Throws an Error if there are none. */
export function releaseNotes(changelog, version) {
  const sections = sectionsOf(changelog);
  const { name, text } =
    sections.find((section) => section.name === version) ?? sections.find((section) => section.name === unreleased);
  if (!/^- /m.test(text)) throw new Error(`CHANGELOG.md has no entries under "${name}".`);
  return text;
}

/** Returns the sections of the versions of a changelog, newest first. */
export const versionsOf = (changelog) => sectionsOf(changelog).filter(({ name }) => name !== unreleased);

const numbersOf = (version) => {
  const numbers = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version)?.slice(1).map(Number);
  if (!numbers) throw new Error(`A version has the form 1.2.3, not "${version}".`);
  return numbers;
};

function isGreater(version, other) {
  const [numbers, others] = [numbersOf(version), numbersOf(other)];
  const index = numbers.findIndex((number, place) => number !== others[place]);
  return index >= 0 && numbers[index] > others[index];
}

/** Throws an Error with the reason, and changes nothing, if the version cannot be released. */
export function setVersion(version, root) {
  const path = (name) => join(root, name);
  const changelog = readFileSync(path('CHANGELOG.md'), 'utf8');
  const last = versionsOf(changelog)[0]?.name ?? '0.0.0';
  if (!isGreater(version, last))
    throw new Error(`${version} is not greater than ${last}, the last version in CHANGELOG.md.`);
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`Commit these changes first:\n${changes.trimEnd()}`);
  releaseNotes(changelog, unreleased);

  const today = new Date().toISOString().slice(0, 10);
  const headings = `## [${unreleased}]\n\n## [${version}] - ${today}`;
  writeFileSync(path('CHANGELOG.md'), changelog.replace(`## [${unreleased}]`, headings));
  for (const name of ['package.json', 'npm-shrinkwrap.json']) {
    const content = JSON.parse(readFileSync(path(name), 'utf8'));
    content.version = version;
    if (content.packages) content.packages[''].version = version;
    writeFileSync(path(name), `${JSON.stringify(content, null, 2)}\n`);
  }
  for (const name of git('ls-files', '-z', '*.md').split('\0').filter(Boolean)) {
    const text = readFileSync(path(name), 'utf8');
    const current = text.replace(packageFile, (file, named) => file.replace(named, version));
    if (current !== text) writeFileSync(path(name), current);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    setVersion(process.argv[2] ?? '', resolve(process.argv[3] ?? join(import.meta.dirname, '..')));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
