// Prints the CycloneDX document of the packages that a server needs at run time, and of the packages in the built console:
//   node scripts/sbom.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';

const root = resolve(import.meta.dirname, '..');

/**
 * Returns the document without the differences between two runs. `npm sbom --omit dev` leaves out packages that packages for developers
 * need as well, so npm gets a lock file without packages for developers.
 */
export function materials() {
  const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const { devDependencies, overrides, ...content } = read('package.json');
  const { packages, ...lock } = read('npm-shrinkwrap.json');
  const needed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  // npm is not asked for their dependencies: only packages in the console count.
  const bundled = bundledPackages().flatMap((each) => {
    const path = `node_modules/${each.name}`;
    const { version, resolved, integrity, license, dev } = packages[path];
    if (version !== each.version) throw new Error(`The console contains ${each.name} ${each.version}: build it again.`);
    return dev ? [[path, { version, resolved, integrity, license }]] : [];
  });
  for (const [path, { version }] of bundled) content.dependencies[path.slice('node_modules/'.length)] = version;
  const folder = mkdtempSync(join(tmpdir(), 'potager-sbom-'));
  try {
    const write = (file, value) => writeFileSync(join(folder, file), JSON.stringify(value));
    write('package.json', content);
    write('package-lock.json', { ...lock, packages: { '': content, ...Object.fromEntries([...needed, ...bundled]) } });
    const options = ['--silent', '--sbom-format', 'cyclonedx', '--package-lock-only'];
    const text = execFileSync('npm', ['sbom', ...options], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const { serialNumber, metadata, ...document } = JSON.parse(text);
    const { timestamp, component, ...rest } = metadata;
    // npm names it after the folder.
    document.metadata = { ...rest, component: { ...component, name: content.name } };
    return `${JSON.stringify(document, null, 2)}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) process.stdout.write(materials());
