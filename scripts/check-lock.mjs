// Checks package-lock.json: every package has an integrity hash, and those with install scripts are known.
//   node scripts/check-lock.mjs [root]
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const { packages } = read('package-lock.json');
const { allowScripts = {} } = read('package.json');

/** The linter's programs for other platforms, which the registry of the machine that wrote the lock file does not have. They are never installed on servers. */
const withoutHash = /^node_modules\/@biomejs\/cli-/;

const violations = [];
let exceptions = 0;
for (const [path, { integrity, link, dev, hasInstallScript }] of Object.entries(packages)) {
  const name = path.replace(/^.*node_modules\//, '');
  if (path === '' || link) continue;
  if (integrity === undefined && dev && withoutHash.test(path)) exceptions++;
  else if (!/^sha512-/.test(integrity ?? '')) violations.push(`package-lock.json: ${path} has no sha512 integrity`);
  if (hasInstallScript && !dev && !(name in allowScripts))
    violations.push(`package.json: decide in allowScripts whether the install script of ${name} may run`);
}

for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exit(1);
console.log(
  `${Object.keys(packages).length - 1} locked packages, of which ${exceptions} have no integrity hash (the linter on other platforms).`,
);
