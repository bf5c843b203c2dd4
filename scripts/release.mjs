// Creates the files of a release in release/, the same ones from the same commit:
//   npm run release               of the version in package.json
//   npm run release -- VERSION    sets the version first, see release-version.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { releaseNotes, setVersion } from './release-version.mjs';
import { materials } from './sbom.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'release');
const npm = (...args) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });

function makeRelease() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  // Builds first, because of the script "prepack".
  const [{ filename, files }] = JSON.parse(npm('pack', '--silent', '--json', '--pack-destination', folder));
  npm('run', '--silent', 'client', '--', folder);
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write('release-notes.md', `# Potager ${version}\n\n${notes}\n`);
  write('sbom.json', materials());
  // The container image has them in /opt/potager/lib/node_modules/potager, with the packages of sbom.json beside them.
  write('files.txt', files.map(({ path, size }) => `${size}\t${path}\n`).join(''));
  const sums = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  write('SHA256SUMS', sums.join(''));
  console.log(`release/${filename} and ${sums.length} further files are ready.`);
}

try {
  const version = process.argv[2];
  if (version !== undefined) setVersion(version, root);
  makeRelease();
  if (version !== undefined)
    console.log(`Next: .ci/run, then git commit --all -m 'chore: release ${version}' && git tag v${version}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
