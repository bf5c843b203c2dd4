// Builds console into dist/console: hashed files, each with a copy that is compressed with brotli.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { newestTime } from './newest-time.mjs';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'console');
const generated = join(source, 'src/data/generated');
const output = join(root, 'dist/console');
/** Written last by the build of the console. */
export const consoleStamp = join(output, '.built');
/** Written last by the build of the server. */
export const serverStamp = join(root, 'dist/.built');
/** Smaller files fit into one packet anyway. */
const minCompressedSize = 1024;
/** The highest level, 11, saves 2 % of the size, and takes more than twice the time: 4.4 instead of 1.9 s. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Writes the console's files that follow from the server's declarations, if they changed. Needs the built server. */
async function writeResources() {
  const checked = join(source, '.derived');
  const declared = Math.max(...[serverStamp, import.meta.filename].map((path) => statSync(path).mtimeMs));
  if (existsSync(checked) && statSync(checked).mtimeMs > declared) return;
  mkdirSync(generated, { recursive: true });
  writeFileSync(checked, '');
  const { loggedResources: resources } = await import('../dist/resources.js');
  const announced = resources.filter(({ options }) => options.changeLogName);
  const names = announced.map(({ name, options }) => `  ${options.changeLogName}: '${name}',\n`);
  // The robot is no resource.
  const inHistory = [
    'Device',
    ...announced.flatMap(({ options }) => (options.isHistory === false ? [] : options.changeLogName)),
  ];
  const text = `/** The names of changes, with the lists of the API that they are about. */
export const collectionNames = {
${names.join('')}} as const;

/** The names of the resources in the history. */
export const historyNames: readonly string[] = ${JSON.stringify(inHistory)};
`;
  const path = join(generated, 'resources.ts');
  // An unchanged file does not cause a build.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** Builds the console unless its files are newer than its sources. Throws an Error with the problem. */
export async function buildConsole() {
  await writeResources();
  const sources = newestTime([
    join(source, 'src'),
    join(source, 'public'),
    join(source, 'index.html'),
    ...[
      'browsers.json',
      'vite.config.ts',
      'app-icons.ts',
      'aria-locales.ts',
      'first-paint.ts',
      'lucide-icons.ts',
      'map-preload.ts',
    ].map((name) => join(source, name)),
    join(root, 'package.json'),
    join(root, 'scripts/build-console.mjs'),
  ]);
  if (existsSync(consoleStamp) && statSync(consoleStamp).mtimeMs > sources) return;
  console.error('Building the console…');
  const { build } = await import('vite');
  await build({ configFile: join(source, 'vite.config.ts'), logLevel: 'warn' });
  const compress = promisify(brotliCompress);
  await Promise.all(
    readdirSync(output, { recursive: true, withFileTypes: true }).map(async (entry) => {
      if (!entry.isFile() || entry.name === 'index.html' || !/\.(js|css|svg|json|webmanifest)$/.test(entry.name))
        return;
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      if (bytes.length >= minCompressedSize) writeFileSync(`${path}.br`, await compress(bytes, compression));
    }),
  );
  writeFileSync(consoleStamp, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(serverStamp)) throw new Error('Run npm run build first.');
  await buildConsole();
}
