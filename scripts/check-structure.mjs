// Checks the structure described in ARCHITECTURE.md: layering, no cycles, file names and lengths, nothing unfinished.
//   node scripts/check-structure.mjs [root]
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { sourceFiles } from './source-files.mjs';
import { importsOf, withoutCommentsAndStrings } from './source-text.mjs';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const { filesIn, read } = sourceFiles(root);

/** The imports that each layer may have. Every other folder of src is a room. */
const mayImport = {
  main: ['commands', 'robot', 'settings', 'core'],
  commands: ['app', 'operations', 'doctor', 'spanning', 'settings', 'core', 'commands'],
  app: [
    'lifecycle',
    'rooms',
    'operations',
    'foundation',
    'resources',
    'http',
    'room',
    'settings',
    'engine',
    'db',
    'core',
  ],
  lifecycle: ['rooms', 'operations', 'foundation', 'http', 'settings', 'core'],
  rooms: ['foundation', 'resources', 'http', 'spanning', 'room', 'settings', 'engine', 'core'],
  // The modules of commands besides serving.
  operations: ['foundation', 'resources', 'http', 'spanning', 'room', 'settings', 'engine', 'db', 'core'],
  doctor: ['http', 'spanning', 'room', 'service', 'mqtt', 'settings', 'db', 'core', 'doctor'],
  spanning: ['resources', 'room', 'foundation', 'service', 'engine', 'db', 'core', 'spanning'],
  resources: ['room', 'service', 'engine', 'db', 'core'],
  http: ['room', 'settings', 'engine', 'db', 'core', 'http'],
  room: ['foundation', 'service', 'engine', 'db', 'core', 'room'],
  foundation: ['service', 'settings', 'engine', 'db', 'core'],
  service: ['engine', 'db', 'core', 'service'],
  engine: ['db', 'core', 'engine'],
  db: ['core', 'db'],
  settings: ['core', 'settings'],
  // A client of the server.
  robot: ['core', 'robot'],
  // An MQTT server that knows nothing of the application.
  mqtt: ['core', 'mqtt'],
  core: ['core'],
};

/** Further imports of single rooms. */
const roomMayImport = { live: ['mqtt'], simulator: ['robot'], seeding: ['robot'], today: ['robot'] };

/** The layers that are one file each. */
const files = ['main', 'app', 'lifecycle', 'operations', 'rooms', 'foundation', 'resources'];

/** Folders without routes and jobs, which have no front file. */
const withoutFront = ['backup'];

/** Folders about an account or the server as a whole: they may use all rooms, and no room may use them. [ADR 17] */
const spanning = ['backup', 'history', 'operating', 'seeding', 'timeline', 'today', 'transfer', 'upkeep'];

/** Folders that all rooms may use, and that use no room. [ADR 10] */
const services = ['jobs', 'mail', 'quotas'];

/** The public files of rooms: other rooms may import only these, besides the types in their `offer.ts`. [ADR 100] */
const publicFiles = [
  'src/device/devices.ts',
  'src/device/gardens.ts',
  'src/device/notice.ts',
  'src/live/robots/response-messages.ts',
  'src/programs/farm-event-purge.ts',
  'src/programs/program-references.ts',
  'src/programs/sequences.ts',
  'src/series/series-store.ts',
  'src/timeline/sowing.ts',
  'src/webhooks/signature.ts',
];

/** The imports that files of the console may have. Folders of other names are subjects; a subject does not import another. */
const consoleMayImport = {
  main: ['main', 'shell', 'subject', 'data', 'ui'],
  shell: ['data', 'ui'],
  subject: ['data', 'ui'],
  data: ['ui'],
  ui: [],
};

/** Files of src that the console shares: they import only each other, and nothing of Node.js. */
const sharedFiles = [
  'src/ai/model-error.ts',
  'src/core/about-water.ts',
  'src/core/capital-letters.ts',
  'src/core/catalog.ts',
  'src/core/csv-text.ts',
  'src/core/field-labels.ts',
  'src/core/french-spaces.ts',
  'src/core/garden-time.ts',
  'src/core/growth.ts',
  'src/core/json.ts',
  'src/core/languages.ts',
  'src/core/low-space.ts',
  'src/core/lua-functions.ts',
  'src/core/message.ts',
  'src/core/point-criteria.ts',
  'src/core/point-order.ts',
  'src/core/quotas.ts',
  'src/core/resource-names.ts',
  'src/core/session-lifetime.ts',
  'src/core/size-text.ts',
  'src/core/soil-height.ts',
  'src/core/sowing-months.ts',
  'src/core/stored-messages.ts',
  'src/core/time-formats.ts',
  'src/core/value-words.ts',
  'src/garden/limit-messages.ts',
  'src/live/robots/response-messages.ts',
  'src/live/robots/status-message.ts',
  'src/notifications/notification-words.ts',
  'src/programs/check-messages.ts',
  'src/programs/node-words.ts',
  'src/robot/log-messages.ts',
  'src/robot/run-outcomes.ts',
  'src/robot/lua/function-messages.ts',
  'src/runs/problem-messages.ts',
  'src/today/log-messages.ts',
];

/** Packages that only some layers may import. */
const packageHomes = [
  { name: /^(better-sqlite3|pg)(\/|$)/, layers: ['db'] },
  { name: /^find-my-way$/, layers: ['http'] },
  { name: /^wasmoon(\/|$)/, layers: ['robot'], rooms: ['programs'] },
  { name: /^mqtt(\/|$)/, layers: ['robot'], rooms: ['home-assistant', 'live'] },
  { name: /^(aedes|ws)(\/|$)/, layers: ['mqtt'] },
];

/** Maximum number of lines of a TypeScript file in src that is not a test. */
const maxLines = 400;

/** Files with another maximum. */
const ownMaxLines = new Map([
  // The whole schema of a release, which never changes.
  ['src/db/migrations/20261121000000-first-schema.ts', Number.POSITIVE_INFINITY],
  // It only composes; rooms.ts decides on the dependencies of a room.
  ['src/app.ts', 180],
]);

const forbiddenNames = ['util', 'utils', 'helper', 'helpers', 'common', 'misc'];
const codeFile = /\.(tsx?|mts|mjs|js)$/;
const testFile = /\.test\.ts$/;
const offerFile = /^src\/[^/]+\/offer\.ts$/;
// Concatenated, so that this file does not violate its own rule.
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`);
const disabledTest = /\.(skip|skipIf|only|todo)\b/;
const mockedModule = /\bvi\.(mock|doMock)\(/;
/** Modules that start programs, which tests in src and test/api do not: `npm test` is short. */
const startedProgram =
  /\b(ServerProcess|startServer|prepareServer|suiteServer|sharedServer|PostgresCluster|RabbitMq|runHosted)\b/;
/** Tests in src, test/api and test/first that import this run once on each engine. */
const engineSuites = /^import \{[^}]*\} from '[^']*\/support\/engines\.ts'/m;
const testOfAnyEngine = /^(describe|it)\b(?!\.each\(engines)/;
const foreign = [`/${'work'}/`, `../${'shared'}`];

const violations = [];
const report = (file, sentence) => violations.push(`${file}: ${sentence}`);

/** Returns `{ layer, room }` of a file in src; the layer is null for misplaced files. */
function placeOf(file) {
  const [, first, ...rest] = file.split('/');
  if (rest.length === 0) {
    const name = first.replace(/\.ts$/, '');
    return { layer: files.includes(name) ? name : null, room: null };
  }
  if (files.includes(first)) return { layer: null, room: null };
  if (services.includes(first)) return { layer: 'service', room: first };
  if (spanning.includes(first)) return { layer: 'spanning', room: first };
  const isLayer = Object.hasOwn(mayImport, first) && !['room', 'service', 'spanning'].includes(first);
  return isLayer ? { layer: first, room: null } : { layer: 'room', room: first };
}

function checkName(file) {
  const [, ...parts] = file.split('/');
  for (const part of parts) {
    const name = part.replace(/(\.test)?\.tsx?$/, '');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) report(file, `"${part}" is not in kebab-case`);
    const vague = name.split('-').find((word) => forbiddenNames.includes(word));
    if (vague) report(file, `"${vague}" is too vague for a name`);
  }
  if (basename(file) === 'index.ts') report(file, 'an index file is a barrel');
}

function checkLength(file) {
  const count = read(file).trimEnd().split('\n').length;
  const max = ownMaxLines.get(file) ?? maxLines;
  if (count > max) report(file, `has ${count} lines, more than ${max}`);
}

/** Returns the specifiers of a file, each once. */
const specifiersIn = (file) => [...new Set(importsOf(read(file)))];

/** Resolves a relative import. */
const target = (file, specifier) => join(dirname(file), specifier).split(sep).join('/');

function checkImport(file, specifier) {
  const from = placeOf(file);
  if (!specifier.startsWith('.')) {
    const home = packageHomes.find(({ name }) => name.test(specifier));
    if (home && !home.layers.includes(from.layer) && !home.rooms?.includes(from.room))
      report(file, `${from.room ?? from.layer} may not import ${specifier} (only ${home.layers.join(', ')})`);
    return;
  }
  const imported = target(file, specifier);
  if (!imported.startsWith('src/')) {
    report(file, `imports ${specifier}, which is outside src`);
    return;
  }
  if (testFile.test(imported)) report(file, `imports the test ${imported}`);
  const to = placeOf(imported);
  const [fromName, toName] = [from, to].map(({ layer, room }) => room ?? layer);
  // A misplaced file is reported itself.
  if (to.layer === null) return;
  if (![...mayImport[from.layer], ...(roomMayImport[from.room] ?? [])].includes(to.layer))
    report(file, `${fromName} may not import ${toName} (${imported})`);
  else if (
    from.layer === to.layer &&
    from.room !== to.room &&
    !publicFiles.includes(imported) &&
    !offerFile.test(imported)
  )
    report(file, `the ${from.layer} ${from.room} may not import the ${to.layer} ${to.room} (${imported})`);
}

/** Returns the layer and folder of a file in console/src. */
function consolePlaceOf(file) {
  const [, , first, ...rest] = file.split('/');
  const folder = rest.length === 0 ? 'main' : first;
  return { folder, layer: Object.hasOwn(consoleMayImport, folder) ? folder : 'subject' };
}

/** Reports an import of the console that its layers do not allow. */
function checkConsoleImport(file, specifier) {
  if (!specifier.startsWith('.')) return;
  const imported = target(file, specifier);
  if (sharedFiles.includes(imported)) return;
  if (!imported.startsWith('console/src/')) {
    report(file, `imports ${specifier}, which the console does not share`);
    return;
  }
  const [from, to] = [consolePlaceOf(file), consolePlaceOf(imported)];
  if (from.folder !== to.folder && !consoleMayImport[from.layer].includes(to.layer))
    report(file, `${from.folder} may not import ${to.folder} (${imported})`);
}

/** Reports each cycle once, beginning with its alphabetically first file; imports of types and dynamic ones count. */
function checkCycles(files) {
  const graph = new Map(
    files.map((file) => [
      file,
      specifiersIn(file).flatMap((specifier) => (specifier.startsWith('.') ? [target(file, specifier)] : [])),
    ]),
  );
  const state = new Map();
  const path = [];
  const seen = new Set();
  const visit = (file) => {
    if (state.get(file) === 'done' || !graph.has(file)) return;
    if (state.get(file) === 'open') {
      const cycle = path.slice(path.indexOf(file));
      const start = cycle.indexOf([...cycle].sort()[0]);
      const turned = [...cycle.slice(start), ...cycle.slice(0, start)];
      const text = [...turned, turned[0]].join(' → ');
      if (!seen.has(text)) report(turned[0], `is in an import cycle: ${text}`);
      seen.add(text);
      return;
    }
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file)) visit(next);
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file);
}

function checkText(file) {
  for (const [index, line] of read(file).split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    const mark = unfinished.exec(line);
    if (mark) report(place, `contains a ${mark[0]}`);
    for (const text of foreign) if (line.includes(text)) report(place, `mentions ${text}`);
  }
}

function checkCode(file, isSource) {
  const lines = withoutCommentsAndStrings(read(file)).split('\n');
  for (const [index, line] of lines.entries()) {
    const place = `${file}:${index + 1}`;
    if (/^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/.test(line)) report(place, 'has a default export');
    if (/^\s*export\s+(type\s+)?\*/.test(line)) report(place, 're-exports everything of another file');
    if (isSource && /(?<![\w$.])import\s*\(\s*(?!")\S/.test(line))
      report(place, 'imports a module that is computed at run time');
    // Vitest keeps transformed modules between runs, except those in which it finds this call, without a type.
    if (/import\.meta\.glob</.test(line)) report(place, 'give the variable the type: import.meta.glob(…)');
    if (isSource && /new Reply\(\s*JSON\.stringify\(/.test(line))
      report(place, 'writes messages before it is known who reads them: return the object, or use jsonFor');
    if (!isSource && disabledTest.test(line)) report(place, 'disables a test or runs it alone');
    // Test files share the modules of their worker, and loaded modules stay as they are.
    if (testFile.test(file) && mockedModule.test(line)) report(place, 'mocks a module');
  }
}

function checkTest(file) {
  const isInProcess = /^(src|test\/api)\//.test(file);
  if (!isInProcess && !file.startsWith('test/first/')) return;
  const text = read(file);
  const runsOnEngines = engineSuites.test(text);
  for (const [index, line] of withoutCommentsAndStrings(text).split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    const program = isInProcess && startedProgram.exec(line)?.[0];
    if (program) report(place, `starts a program (${program}): it belongs in test/processes`);
    if (runsOnEngines && testOfAnyEngine.test(line))
      report(place, 'would run once on each engine: use describeAnyEngine or itAnyEngine');
  }
}

const source = filesIn('src').filter((file) => file.endsWith('.ts'));
for (const file of source) {
  checkName(file);
  // Tests may import anything.
  if (testFile.test(file)) continue;
  checkLength(file);
  if (placeOf(file).layer === null) {
    report(file, `only ${files.map((name) => `${name}.ts`).join(', ')} and folders of other names belong in src`);
    continue;
  }
  for (const specifier of specifiersIn(file)) checkImport(file, specifier);
}
const consoleFiles = filesIn('console/src').filter(
  (file) => codeFile.test(file) && !file.startsWith('console/src/data/generated/'),
);
for (const file of consoleFiles) {
  checkName(file);
  checkCode(file, !testFile.test(file));
  if (testFile.test(file)) continue;
  checkLength(file);
  for (const specifier of specifiersIn(file)) checkConsoleImport(file, specifier);
}
const others = ['test', 'bench', 'scripts', 'client'].flatMap(filesIn).filter((file) => codeFile.test(file));
checkCycles([...filesIn('src').filter((file) => codeFile.test(file)), ...consoleFiles, ...others]);

/** Every room has a front file named like it, which exports `open…` which rooms.ts calls. */
const folders = new Set(
  source.map(placeOf).flatMap(({ layer, room }) => (['room', 'spanning'].includes(layer) ? [room] : [])),
);
for (const room of source.includes('src/rooms.ts') ? folders : []) {
  if (withoutFront.includes(room)) continue;
  const front = `src/${room}/${room}.ts`;
  if (!source.includes(front)) report(front, `the room ${room} has no front file`);
  else if (!/^export (async )?(function|const) open[A-Z]/m.test(read(front))) report(front, 'does not export open…');
}

for (const file of source)
  if (offerFile.test(file) && /^import (?!type )|^export (?!(interface|type) )/m.test(read(file)))
    report(file, 'an offer declares types only');

for (const file of source) checkCode(file, !testFile.test(file));
for (const file of others) checkCode(file, false);
for (const file of [...source, ...others]) if (testFile.test(file)) checkTest(file);

const pages = [...filesIn('docs'), ...filesIn('.ci'), ...filesIn('test').filter((file) => !codeFile.test(file))];
const top = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isFile() && !['npm-shrinkwrap.json', '.git'].includes(entry.name))
  .map((entry) => entry.name);
for (const file of [...source, ...consoleFiles, ...others, ...pages, ...top]) checkText(file);

if (violations.length > 0) {
  console.error(violations.join('\n'));
  process.exitCode = 1;
} else console.log(`structure: ${source.length + consoleFiles.length} files, no violations`);
