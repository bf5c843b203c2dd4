// Creates the package potager-client, a typed client of the API, from the description of the built server.
//   node scripts/client.mjs [folder]    writes potager-client-<version>.tgz into the folder, `release` by default
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { apiTypes } from './api-types.mjs';
import './build-once.mjs';

const root = resolve(import.meta.dirname, '..');
// A copy of the compiled files, so that the repository contains nothing generated.
const stage = mkdtempSync(join(tmpdir(), 'potager-client-'));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));
const client = join(stage, 'client');
const generated = join(client, 'generated');
const output = join(stage, 'output');
const release = resolve(process.argv[2] ?? join(root, 'release'));
const run = (command, args, cwd = root) => execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });

const description = JSON.parse(run(process.execPath, [join(root, 'dist/main.js'), 'openapi']));
const { resourceRights } = await import('../dist/resources.js');

/** Operations whose 200 is text that arrives in pieces, without the framing of events. */
const textStreams = Object.entries(description.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { responses }]) => responses?.[200]?.content?.['text/event-stream']?.schema?.type === 'string')
    .map(([method]) => `${method} ${path}`),
);
// Results have the type of JSON; other content is requested with `parseAs`.
for (const { responses } of Object.values(description.paths).flatMap((operations) => Object.values(operations))) {
  const content = responses?.[200]?.content;
  if (content?.['application/json']) responses[200].content = { 'application/json': content['application/json'] };
}
const announced = resourceRights.names.filter((name) => resourceRights.isPublished(name));

cpSync(join(root, 'client'), client, { recursive: true });
for (const path of ['src/live/topics.ts', 'src/engine/tags.ts', 'package.json'])
  cpSync(join(root, path), join(stage, path));
symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'));
mkdirSync(generated);
const write = (file, text) => writeFileSync(join(generated, file), text);
write('api.ts', await apiTypes(description));
write('streams.ts', `export const textStreams: readonly string[] = ${JSON.stringify(textStreams)};\n`);
write(
  'resources.ts',
  `/** The resources whose changes are announced. */\nexport type SyncedResource = ${announced.map((name) => `'${name}'`).join(' | ')};\n`,
);

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
run(process.execPath, [compiler, '-p', client, '--outDir', output]);

const { version, license, engines, devDependencies, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const entry = (name, folder = 'src') => ({
  types: `./client/${folder}/${name}.d.ts`,
  default: `./client/${folder}/${name}.js`,
});
const manifest = {
  name: 'potager-client',
  version,
  description: 'A typed client of Potager, the server for garden robots: requests, event streams and MQTT topics.',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: `>=${engines.node.match(/\d+/)[0]}` },
  exports: {
    '.': entry('client'),
    './topics': entry('topics'),
    './api': { types: './client/generated/api.d.ts' },
  },
  dependencies: { 'openapi-fetch': devDependencies['openapi-fetch'] },
  peerDependencies: { mqtt: dependencies.mqtt },
  peerDependenciesMeta: { mqtt: { optional: true } },
};
writeFileSync(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
for (const file of ['README.md', 'example.mjs']) cpSync(join(client, file), join(output, file));
cpSync(join(root, 'LICENSE'), join(output, 'LICENSE'));
mkdirSync(release, { recursive: true });
const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', release], output));
console.log(join(release, packed.filename));
