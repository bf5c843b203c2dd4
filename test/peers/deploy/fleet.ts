import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBucket, type TestBucket } from '../../support/bucket.ts';
import { freePort } from '../../support/free-port.ts';
import { RabbitMq } from '../../support/rabbitmq.ts';
import { cheapPasswords, createTempFolder, program, ServerProcess } from '../../support/servers.ts';
import { parseYaml } from '../../support/yaml.ts';
import { DebianPostgres } from '../postgresql-15/debian-postgres.ts';
import { deployedFile, repository, rewrite } from './deployed-files.ts';
import { ProxyServer } from './proxy-server.ts';

const run = promisify(execFile);

/** A service of a compose file, as docker-compose understands it. */
export interface ComposeService {
  readonly image: string;
  readonly build?: unknown;
  readonly pull_policy?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
  readonly ports?: readonly { readonly published: number; readonly target: number }[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
}

/** The result of docker-compose for a compose file. */
export interface FleetConfiguration {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<
    Record<string, { readonly internal?: boolean; readonly ipam?: { readonly config: readonly unknown[] } } | null>
  >;
}

/** Returns compose.fleet.yaml with the variables of an `.env` file in `folder`. Throws with the message of docker-compose. */
export function fleetConfiguration(folder: string): FleetConfiguration {
  const words = ['-f', 'compose.fleet.yaml', '--env-file', join(folder, '.env'), 'config'];
  const config = execFileSync('docker-compose', words, { cwd: repository, encoding: 'utf8', stdio: 'pipe' });
  return parseYaml(config) as FleetConfiguration;
}

/** Creates `.env` in a new folder for a domain, as docs/containers.md says. */
export function createEnvironment(domain: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'potager-fleet-'));
  execFileSync('sh', [join(repository, 'deploy/create-env.sh'), domain], { cwd: folder, stdio: 'pipe' });
  return folder;
}

/** The differences of a fleet from compose.fleet.yaml, for measurements. */
export interface FleetOptions {
  /** The number of Potagers (2). */
  readonly nodes?: number;
  /** PostgreSQL flushes to the disk. */
  readonly isDurable?: boolean;
  /** Further settings of the Potagers. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Starts the S3 server. */
  readonly startBucket?: () => Promise<TestBucket>;
}

/** The services of compose.fleet.yaml as processes of this machine: Debian's programs, and an S3 server of the tests. */
export class Fleet {
  readonly caddy: ProxyServer;
  readonly rabbitmq: RabbitMq;
  readonly potagers: readonly [ServerProcess, ServerProcess, ...ServerProcess[]];
  readonly postgres: DebianPostgres;
  readonly #database: string;
  readonly bucket: TestBucket;
  readonly #copy: ChildProcess;
  /** Deleted by {@link stop}. */
  readonly folder: string;

  private constructor(parts: {
    caddy: ProxyServer;
    rabbitmq: RabbitMq;
    potagers: Fleet['potagers'];
    postgres: DebianPostgres;
    database: string;
    bucket: TestBucket;
    copy: ChildProcess;
    folder: string;
  }) {
    this.caddy = parts.caddy;
    this.rabbitmq = parts.rabbitmq;
    this.potagers = parts.potagers;
    this.postgres = parts.postgres;
    this.#database = parts.database;
    this.bucket = parts.bucket;
    this.#copy = parts.copy;
    this.folder = parts.folder;
  }

  /** Starts everything in the order of `depends_on`, for `localhost`: for it, Caddy needs no public authority. */
  static async start({ nodes = 2, isDurable = false, ...options }: FleetOptions = {}): Promise<Fleet> {
    const folder = createEnvironment('localhost');
    const { services } = fleetConfiguration(folder);
    const environment = (name: string) => services[name]?.environment ?? {};
    const [webMqtt, hooks] = [await freePort(), await freePort()];
    const webPorts: number[] = [];
    while (webPorts.length < nodes) webPorts.push(await freePort());
    const site = rewrite(deployedFile('fleet.Caddyfile'), {
      'potager-1:3000 potager-2:3000': webPorts.map((port) => `127.0.0.1:${port}`).join(' '),
      'rabbitmq:15675': `127.0.0.1:${webMqtt}`,
      ':8080': `:${hooks}`,
      '{$DOMAIN}': environment('caddy').DOMAIN ?? '',
    });
    const caddy = await ProxyServer.caddyFor('localhost', site);
    const tls = join(folder, 'tls');
    mkdirSync(tls);
    const script = rewrite(deployedFile('copy-fleet-certificate.sh'), {
      '/data/caddy': join(caddy.folder, '.local/share/caddy'),
      '/tls': tls,
      '999:999': `${process.getuid?.()}:${process.getgid?.()}`,
    });
    const copyEnvironment = { PATH: process.env.PATH ?? '', ...environment('certificate') };
    const copy = spawn('sh', ['-c', script], { env: copyEnvironment, stdio: 'ignore' });
    await until(() => {
      execFileSync('test', ['-s', join(tls, 'crt.pem')]);
    });
    const [postgres, bucket] = await Promise.all([
      DebianPostgres.start(isDurable),
      (options.startBucket ?? startBucket)(),
    ]);
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB = '' } = environment('postgres');
    await postgres.query('postgres', `create role ${POSTGRES_USER} login password '${POSTGRES_PASSWORD}'`);
    await postgres.query('postgres', `create database ${POSTGRES_DB} owner ${POSTGRES_USER}`);
    const rabbitmq = await RabbitMq.configured(
      (ports) =>
        rewrite(deployedFile('fleet.rabbitmq.conf'), {
          '0.0.0.0:5672': `127.0.0.1:${ports.amqp}`,
          '= 15672': `= ${ports.management}`,
          '= 8883': `= ${ports.mqtt}`,
          '= 15675': `= ${webMqtt}`,
          '/tls': tls,
          'caddy:8080': `127.0.0.1:${hooks}`,
        }),
      deployedFile('fleet.rabbitmq-plugins'),
      environment('rabbitmq'),
      { webMqtt },
    );
    await rabbitmq.start();

    const s3 = { 's3:7070': new URL(bucket.endpoint).host };
    const settings = (name: string): Record<string, string> =>
      settingsOf(environment(name), {
        ...s3,
        'postgres:5432': new URL(postgres.server).host,
        'amqp://rabbitmq:5672': rabbitmq.amqpUrl,
        'http://rabbitmq:15672': rabbitmq.managementUrl,
        '172.30.83.2': '127.0.0.1',
        '172.30.83.3': '127.0.0.1',
      });
    const started = await Promise.all(
      webPorts.map(async (port, index) => {
        const own = {
          ...settings(`potager-${1 + (index % 2)}`),
          HOST: '127.0.0.1',
          DATA_DIR: 'data',
          ...options.settings,
        };
        return new ServerProcess(await createTempFolder(), port, own, cheapPasswords);
      }),
    );
    const [one, two, ...others] = started;
    if (!one || !two) throw new Error('two services');
    const [, createBucket = ''] = services.bucket?.command ?? [];
    const path = rewrite(createBucket, { '/opt/potager/lib/node_modules/potager': join(program, '../..') });
    // Not synchronously: the S3 server runs in this process.
    await run(process.execPath, [path], { env: settingsOf(environment('bucket'), s3) });
    // Both at once: one migrates the database, and the other one waits.
    await Promise.all(started.map((server) => server.start()));
    // Caddy 2.6 repeats only requests without a body until it has seen that they are healthy.
    await caddy.send('/health');
    return new Fleet({
      caddy,
      rabbitmq,
      potagers: [one, two, ...others],
      postgres,
      database: POSTGRES_DB,
      bucket,
      copy,
      folder,
    });
  }

  /** Runs SQL in the fleet's database. */
  query(text: string): Promise<readonly unknown[]> {
    return this.postgres.query(this.#database, text);
  }

  async stop(): Promise<void> {
    for (const server of this.potagers) {
      await server.kill();
      server.client.close();
      rmSync(server.folder, { recursive: true, force: true });
    }
    await this.rabbitmq.remove();
    await this.caddy.stop();
    await this.bucket.close();
    await this.postgres.stop();
    this.#copy.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns an environment with other host names, and the credentials of the tests' S3 server. */
function settingsOf(
  environment: Readonly<Record<string, string>>,
  hosts: Readonly<Record<string, string>>,
): Record<string, string> {
  const settings = JSON.parse(rewrite(JSON.stringify(environment), hosts)) as Record<string, string>;
  return { ...settings, STORAGE_URL: (settings.STORAGE_URL ?? '').replace(/\/\/.*@/, '//S3RVER:S3RVER@') };
}

/** Waits until an action does not throw. Throws its error after two minutes. */
async function until(action: () => void): Promise<void> {
  for (const end = Date.now() + 120_000; ; ) {
    try {
      action();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
