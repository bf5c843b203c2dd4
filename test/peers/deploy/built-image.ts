import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { execForm, parseContainerfile, type Stage } from './containerfile.ts';
import { repository } from './deployed-files.ts';

/** The result of a command in a container. */
export interface CommandOutcome {
  readonly code: number;
  readonly output: string;
}

/** The results of a stage's instructions for later stages. */
interface StageState {
  readonly root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
  command: readonly string[];
  healthCheck: readonly string[];
  ports: readonly number[];
}

const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

const execute = promisify(execFile);

/** Runs a command as root. Rejects with its output if it fails. */
async function sudo(...words: readonly string[]): Promise<void> {
  const [program = '', ...rest] = [...asRoot, ...words];
  await execute(program, rest, { maxBuffer: 1024 ** 3 });
}

/** Mounts a copy of this machine's files, of which changes are kept in the stage's folder, and executes a command in it. */
const enter = `set -eu
root=$1 user=$2
shift 2
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/merged"
mount -t proc proc "$root/merged/proc"
mount --rbind /dev "$root/merged/dev"
[ -z "\${NETWORK-}" ] || ip link set lo up
exec chroot --userspec="$user" "$root/merged" "$@"`;

/** The part of the machine that a build uses: the way to npm's registry. */
const inherited = Object.fromEntries(
  ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'npm_config_registry'].flatMap(
    (name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]),
  ),
);

/**
 * An image that is built without a container engine: the instructions of the Containerfile are carried out in copies of this
 * machine's files (overlay mounts), with the Node.js of this machine instead of the base image's, and its `node_modules`.
 */
export class BuiltImage {
  readonly #folder: string;
  readonly #state: StageState;
  #container: ChildProcess | null = null;
  #logs = '';

  private constructor(folder: string, state: StageState) {
    this.#folder = folder;
    this.#state = state;
  }

  /** Carries out the Containerfile of the repository. */
  static async build(): Promise<BuiltImage> {
    const folder = await mkdtemp(join(tmpdir(), 'potager-image-'));
    const stages = parseContainerfile(readFileSync(join(repository, 'Containerfile'), 'utf8'));
    const built = new Map<string | null, StageState>();
    let last: StageState | null = null;
    for (const [index, stage] of stages.entries()) {
      last = await buildStage(stage, join(folder, String(index)), built);
      built.set(stage.name, last);
    }
    if (!last) throw new Error('no stage');
    return new BuiltImage(folder, last);
  }

  /** The ports of `EXPOSE`. */
  get ports(): readonly number[] {
    return this.#state.ports;
  }

  /** The output of the container. */
  logs(): string {
    return this.#logs;
  }

  /** Starts the command of the image, as process 1 with a network of its own, and waits until it is healthy. Throws with its output after a minute. */
  async start(): Promise<void> {
    const { root, user, command } = this.#state;
    const isolation = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
    const words = ['env', 'NETWORK=on', 'unshare', ...isolation, 'sh', '-c', enter, 'sh', root, user];
    const [program = '', ...rest] = [...asRoot, ...words, ...environment(this.#state), ...command];
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#container = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        this.#logs += part;
      });
    for (const end = Date.now() + 60_000; (await this.checkHealth().catch(() => null))?.code !== 0; await sleep(100))
      if (child.exitCode !== null || Date.now() > end) throw new Error(`the container is not healthy:\n${this.#logs}`);
  }

  /** Runs a command in the container, as `docker exec` does. */
  async run(words: readonly string[]): Promise<CommandOutcome> {
    const target = ['nsenter', '--target', String(this.mainProcess()), '--mount', '--net', '--pid', '--root'];
    const user = ['chroot', `--userspec=${this.#state.user}`, '/'];
    return outcome([...target, ...user, ...environment(this.#state), ...words]);
  }

  /** Runs the health check: in the container, or in one of its own if none runs. */
  checkHealth(): Promise<CommandOutcome> {
    const { root, user, healthCheck } = this.#state;
    if (this.#container) return this.run(healthCheck);
    const isolated = ['env', 'NETWORK=on', 'unshare', '--mount', '--net', 'sh', '-c', enter, 'sh', root, user];
    return outcome([...isolated, ...environment(this.#state), ...healthCheck]);
  }

  /** The id of the container's process 1 on this machine. Throws if it has ended. */
  mainProcess(): number {
    let id = this.#container?.pid ?? 0;
    // sudo and unshare have one child each.
    for (;;) {
      const name = readFileSync(`/proc/${id}/comm`, 'utf8').trim();
      if (!['sudo', 'env', 'unshare'].includes(name)) return id;
      const child = Number(readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').split(' ')[0]);
      if (!child) throw new Error(`the container has not started:\n${this.#logs}`);
      id = child;
    }
  }

  /** Stops the container as `docker stop` does, and returns its exit code. */
  async stop(): Promise<number | null> {
    const container = this.#container;
    if (!container) return null;
    const closed = once(container, 'close');
    await sudo('kill', '-TERM', String(this.mainProcess()));
    await closed;
    this.#container = null;
    return container.exitCode;
  }

  async remove(): Promise<void> {
    // Not the child: the container's process 1 changed its user, so that it does not end with it.
    if (this.#container?.exitCode === null) await sudo('kill', '-KILL', String(this.mainProcess()));
    await sudo('rm', '-rf', this.#folder);
  }
}

const environment = ({ workdir, env }: StageState): readonly string[] => [
  'env',
  '-i',
  '-C',
  workdir,
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
];

function outcome(words: readonly string[]): Promise<CommandOutcome> {
  const [program = '', ...rest] = [...asRoot, ...words];
  return new Promise((resolve) => {
    execFile(program, rest, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

/** The installation of the packages in the lock file. This clone has it already, and the stage sees the files of this machine. */
const installation = /^npm ci --ignore-scripts && /;

/** Carries out the instructions of a stage. Throws at one that it does not know. */
async function buildStage(
  { image, instructions }: Stage,
  root: string,
  built: ReadonlyMap<string | null, StageState>,
): Promise<StageState> {
  const path = [dirname(process.execPath), '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'].join(':');
  const env = { PATH: path, HOME: '/root' };
  const state: StageState = { root, workdir: '/', user: 'root', env, command: [], healthCheck: [], ports: [] };
  const files = join(root, 'upper');
  for (const part of ['upper', 'work', 'merged']) await mkdir(join(root, part), { recursive: true });
  await sudo('chown', '0:0', files);
  await sudo('chmod', '755', root, files);
  const run = async (command: string): Promise<void> => {
    const words = ['unshare', '--mount', 'sh', '-c', enter, 'sh', root, state.user];
    const variables = Object.entries({ ...inherited, ...prebuilt }).map(([name, value]) => `${name}=${value}`);
    await sudo(...words, ...environment(state), ...variables, 'sh', '-c', command);
  };
  // The content of the images of Node.js.
  if (!image.includes('/node:')) throw new Error(`${image} is not an image of Node.js`);
  await run('id node >/dev/null 2>&1 || useradd --create-home node');
  await placePrebuiltDriver(files);
  const at = (target: string) => join(files, target.startsWith('/') ? target : join(state.workdir, target));
  for (const { name, value } of instructions) {
    if (name === 'RUN') {
      const rest = value.replace(installation, '');
      if (rest !== value) await run(`ln -s ${join(repository, 'node_modules')} node_modules`);
      await run(rest);
    } else if (name === 'WORKDIR') {
      await run(`mkdir -p ${value}`);
      state.workdir = value;
    } else if (name === 'COPY') {
      const [from = '', ...paths] = value.split(/\s+/);
      const stage = /^--from=(.*)$/.exec(from)?.[1];
      const [source = '', target = ''] = stage === undefined ? [from, ...paths] : paths;
      if (stage === undefined) await copyContext(source, at(target));
      else {
        await sudo('mkdir', '-p', dirname(at(target)));
        await sudo('cp', '-a', join(built.get(stage)?.root ?? '', 'upper', source), at(target));
      }
    } else if (name === 'ENV')
      for (const pair of value.split(/\s+/)) {
        const [, key = '', text = ''] = /^(.*?)=(.*)$/.exec(pair) ?? [];
        state.env[key] = text.replace(/\$(\w+)/g, (_, variable: string) => state.env[variable] ?? '');
      }
    else if (name === 'USER') state.user = value;
    else if (name === 'CMD') state.command = execForm(value);
    else if (name === 'HEALTHCHECK') state.healthCheck = execForm(value.replace(/^.*?CMD /, ''));
    else if (name === 'EXPOSE') state.ports = value.split(/\s+/).map(Number);
    else if (name !== 'VOLUME') throw new Error(`${name} is not known`);
  }
  return state;
}

/** Copies the repository without the files in .dockerignore. */
async function copyContext(source: string, target: string): Promise<void> {
  if (source !== '.') throw new Error(`COPY ${source} is not known`);
  const ignored = ignoredPaths().flatMap((pattern) => [
    '--exclude',
    pattern.startsWith('*') ? pattern : `./${pattern}`,
  ]);
  await sudo('mkdir', '-p', target);
  const archive = `${target}.tar`;
  await sudo('tar', '-C', repository, ...ignored, '-cf', archive, '.');
  await sudo('tar', '-C', target, '-xf', archive);
  await sudo('rm', archive);
}

/** The patterns of .dockerignore. */
export const ignoredPaths = (): readonly string[] =>
  readFileSync(join(repository, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const prebuiltFolder = '/prebuilt';
/** The folder of ready binaries that the SQLite driver reads instead of GitHub. */
const prebuilt = { npm_config_better_sqlite3_local_prebuilds: prebuiltFolder };

/** Packs the SQLite driver of this machine as its authors publish it. */
async function placePrebuiltDriver(files: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('better-sqlite3/package.json');
  const { version } = require(manifest) as { version: string };
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-linux-${process.arch}.tar.gz`;
  const folder = join(files, prebuiltFolder);
  await sudo('mkdir', '-p', folder);
  await sudo('tar', '-czf', join(folder, name), '-C', dirname(manifest), 'build/Release/better_sqlite3.node');
}
