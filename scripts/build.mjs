// Builds src into dist: compiles TypeScript, copies other files, and removes outputs without a source.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');
const output = join(root, 'dist');

/** Written last; build-once.mjs compares its time with the sources. */
export const stamp = join(output, '.built');

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/** Throws when the compiler fails; it prints its errors itself. */
export function build() {
  rmSync(stamp, { force: true });
  const packageFile = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(packageFile), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('The build failed.');

  const assets = filesIn(source).filter((file) => !file.endsWith('.ts'));
  for (const asset of assets) {
    mkdirSync(dirname(join(output, asset)), { recursive: true });
    copyFileSync(join(source, asset), join(output, asset));
  }
  for (const file of filesIn(output)) {
    const origin = file.replace(/\.js(\.map)?$/, '.ts');
    if (!assets.includes(file) && !existsSync(join(source, origin))) rmSync(join(output, file));
  }
  writeFileSync(stamp, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
