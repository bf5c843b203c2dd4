import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startBucket } from '../support/bucket.ts';
import { freePort } from '../support/free-port.ts';
import { MailServer } from '../support/mail-server.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { RabbitMq } from '../support/rabbitmq.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../support/servers.ts';
import { Api } from './api.ts';
import { commonSettings, type Fault, type Installation, outage, serverFaults } from './installation.ts';
import { InterruptibleProxy, type ProxyState } from './interruptible-proxy.ts';
import type { SoakReport } from './soak-report.ts';

const processes = 2;

/** Starts two processes with PostgreSQL, RabbitMQ, a bucket, and a mail server. */
export async function startServerGroup(report: SoakReport): Promise<Installation> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const remove = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    return await start(report, cleanups, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function start(
  report: SoakReport,
  cleanups: (() => Promise<unknown>)[],
  remove: () => Promise<void>,
): Promise<Installation> {
  const cluster = await PostgresCluster.start();
  cleanups.push(() => cluster.remove());
  const database = await cluster.createDatabase('potager');

  const bucket = await startBucket();
  cleanups.push(() => bucket.close());
  const bucketPort = new URL(bucket.endpoint).port;
  const storage = await InterruptibleProxy.open(
    [Number(bucketPort)],
    'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  );
  cleanups.push(() => storage.close());

  const mailServer = new MailServer();
  const smtpUrl = new URL(await mailServer.listen());
  cleanups.push(() => mailServer.close());
  const smtp = await InterruptibleProxy.open([Number(smtpUrl.port)], '421 Try again later\r\n');
  cleanups.push(() => smtp.close());

  const ports: number[] = [];
  for (let i = 0; i < processes; i++) ports.push(await freePort());
  // One address for the hooks, as docs/rabbitmq.md asks for.
  const hooks = await InterruptibleProxy.open(ports);
  cleanups.push(() => hooks.close());
  const rabbitMq = await RabbitMq.prepare(`http://127.0.0.1:${hooks.port}`);
  cleanups.push(() => rabbitMq.remove());
  await rabbitMq.start();

  const settings = {
    ...commonSettings,
    ...rabbitMq.settings,
    DATABASE_URL: database,
    STORAGE_URL: bucket.url.replace(`:${bucketPort}/`, `:${storage.port}/`),
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  };
  const servers: ServerProcess[] = [];
  for (const port of ports) {
    const server = new ServerProcess(await createTempFolder(), port, settings, cheapPasswords);
    servers.push(server);
    cleanups.push(async () => {
      await server.kill();
      await rm(server.folder, { recursive: true, force: true });
    });
    await server.start();
  }
  const api = new Api(
    servers.map(({ base }) => base),
    report,
  );
  cleanups.push(async () => api.close());
  return {
    name: 'postgres',
    servers,
    api,
    faults: [
      ...servers.flatMap((server, i) => serverFaults(server, `server ${i + 1}`)),
      ...databaseFaults(cluster),
      ...brokerFaults(rabbitMq),
      ...proxyFaults(storage, 'bucket'),
      ...proxyFaults(smtp, 'mail'),
    ],
    brokerUrls: [rabbitMq.mqttUrl, rabbitMq.webMqttUrl],
    brokerStarts: () => rabbitMq.starts,
    mailsExports: true,
    mailsTo: async (email) =>
      mailServer.received.filter(({ to }) => to.includes(email)).map(({ mail }) => mail.text ?? ''),
    async query(sql) {
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    remove,
  };
}

const databaseFaults = (cluster: PostgresCluster): Fault[] => [
  {
    name: 'database: killed',
    part: 'database',
    async cause(random) {
      await cluster.crash();
      if (random.chance(0.5)) await sleep(outage(random));
      await cluster.resume();
    },
  },
  {
    name: 'database: frozen',
    part: 'database',
    async cause(random) {
      await cluster.freeze();
      await sleep(2 * outage(random));
      await cluster.thaw();
    },
  },
];

const brokerFaults = (rabbitMq: RabbitMq): Fault[] => [
  {
    name: 'broker: restarted',
    part: 'broker',
    async cause() {
      await rabbitMq.stop();
      await rabbitMq.start();
    },
  },
  {
    name: 'broker: killed',
    part: 'broker',
    async cause() {
      await rabbitMq.kill();
      await rabbitMq.start();
    },
  },
  {
    name: 'broker: frozen',
    part: 'broker',
    async cause(random) {
      await rabbitMq.suspend();
      await sleep(outage(random));
      rabbitMq.resume();
    },
  },
];

const proxyFaults = (proxy: InterruptibleProxy, part: string): Fault[] =>
  (['refusing', 'silent', 'failing'] satisfies ProxyState[]).map((state) => ({
    name: `${part}: ${state}`,
    part,
    async cause(random) {
      await proxy.set(state);
      await sleep(outage(random));
      await proxy.set('open');
    },
  }));
