// Bundles src into dist: one file for the modules that are always loaded together, and copies of the other files.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, serverStamp } from './build-console.mjs';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');
const output = join(root, 'dist');

/** The program, and the modules that scripts, benchmarks, tests and files in deploy import from dist. */
const entries = [
  'main',
  'app',
  'resources',
  'core/durable-file',
  'programs/checker',
  'programs/tree',
  'settings/bucket',
  'settings/settings',
];

/** Lets modules find the files beside them: bundles have no folders, but `import.meta` is as in a file of their own. */
const ownUrls = {
  name: 'own URLs',
  transform: {
    filter: { id: /\.ts$/, code: /import\.meta\.(url|dirname)/ },
    handler(code, id) {
      const path = relative(source, id).replace(/ts$/, 'js');
      return code
        .replaceAll('import.meta.url', `new URL('./${path}', import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`);
    },
  },
};

/** Throws an Error with the problem in the sources; `npm run types` checks their types. */
export async function build() {
  // Not above: where npm ci did not run, build-once.mjs says so.
  const [{ rolldown }, { viteImportGlobPlugin }] = await Promise.all([
    import('rolldown'),
    import('rolldown/experimental'),
  ]);
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/^.*\//, ''), join(source, `${entry}.ts`)])),
    platform: 'node',
    // Dependencies are installed with the package: npm updates, audits and lists them.
    external: /^[^./]/,
    plugins: [ownUrls, viteImportGlobPlugin({ root: source })],
    transform: { target: 'node20.19' },
    // A slow machine is no fault of the sources.
    checks: { bundlerTimings: false },
  });
  rmSync(serverStamp, { force: true });
  const { output: chunks } = await bundle.write({
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  });
  await bundle.close();
  const written = new Set(chunks.map(({ fileName }) => join(output, fileName)));
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    // Also links to files of the console.
    if (entry.isDirectory() || /\.m?ts$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const copy = join(output, relative(source, path));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
    written.add(copy);
  }
  // Files of the last build are removed last: programs that run from dist load some of theirs later. The console has a build of its own.
  for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !written.has(path) && !path.startsWith(join(output, 'console/')))
      rmSync(path, { force: true });
  }
  writeFileSync(serverStamp, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await build();
    await buildConsole();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
