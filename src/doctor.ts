import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyStore } from './accounts/key-pair.ts';
import { fileKeyStore, keyFile, loadKeyPair } from './accounts/key-pair.ts';
import { systemClock } from './core/clock.ts';
import { Failure } from './core/errors.ts';
import type { Logger } from './core/logger.ts';
import { EventDispatcher } from './db/event-dispatcher.ts';
import { migrations } from './db/migrations/list.ts';
import { schemaVersion } from './db/migrator.ts';
import { databasePath, openDatabase } from './db/open.ts';
import { createScopeFactory } from './db/scopes.ts';
import { countDeadJobs, failedJobs } from './jobs/dead-letters.ts';
import { checkCertificate } from './live/embedded/certificate-check.ts';
import { checkPort } from './live/embedded/port-check.ts';
import { checkRabbitMq } from './live/rabbitmq/rabbitmq-check.ts';
import { smtpTransport } from './mail/transport.ts';
import { layoutOf } from './pages/web-app-layout.ts';
import { openPhotoStorage } from './photos/photos.ts';
import { servingProcess } from './settings/data-folder-lock.ts';
import type { Settings } from './settings/settings.ts';

/** One thing that `doctor` looked at, with a sentence for people. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Looks at what a server needs and tells in plain words what is wrong. Changes nothing, and migrates nothing. */
export async function runChecks(settings: Settings, log: Logger): Promise<CheckResult[]> {
  const folder = await looked('data folder', async () => {
    const isThere = await access(settings.DATA_DIR).then(
      () => true,
      () => false,
    );
    await access(
      isThere ? settings.DATA_DIR : dirname(settings.DATA_DIR),
      constants.R_OK | constants.W_OK | constants.X_OK,
    );
    return isThere ? `${settings.DATA_DIR} can be written.` : `${settings.DATA_DIR} will be made at the first start.`;
  });
  return [
    folder,
    ...(await keyFindings(settings)),
    ...(await databaseFindings(settings, log)),
    await mailFinding(settings),
    ...(settings.BROKER_URL === null ? await embeddedFindings(settings) : await rabbitMqFindings(settings)),
    ...adminFindings(settings),
    ...inactivityFindings(settings),
    ...(await photoFindings(settings, log)),
    ...(await webAppFindings(settings)),
    ...aiFindings(settings),
  ];
}

/** A bucket for photos: whether it can be read. */
async function photoFindings({ DATA_DIR, STORAGE_URL }: Settings, log: Logger): Promise<CheckResult[]> {
  if (STORAGE_URL === null) return [];
  const finding = await looked('photos', async () => {
    const { storage } = await openPhotoStorage(DATA_DIR, STORAGE_URL, log);
    try {
      for await (const _first of storage.list()) break;
      return `The bucket ${STORAGE_URL.bucket} can be read.`;
    } finally {
      storage.close();
    }
  });
  return [finding];
}

async function webAppFindings({ WEB_APP_DIR }: Settings): Promise<CheckResult[]> {
  if (WEB_APP_DIR === null) return [];
  const finding = await looked('web app', async () => {
    const layout = await layoutOf(WEB_APP_DIR);
    if (layout === null)
      throw new Error('WEB_APP_DIR has no files in assets/dist or assets/parcel: serve will not start.');
    return `WEB_APP_DIR holds the web app in ${layout.bundles}.`;
  });
  return [finding];
}

/** Asking the model itself would cost money. */
function aiFindings({ AI_URL, AI_KEY, AI_MODEL }: Settings): CheckResult[] {
  if (AI_URL === null)
    return AI_KEY === null && AI_MODEL === null
      ? []
      : [{ name: 'language model', ok: false, message: 'Without AI_URL the other AI settings have no effect.' }];
  return [
    {
      name: 'language model',
      ok: true,
      message: `${new URL(AI_URL).host} is asked; whether it answers was not tried.`,
    },
  ];
}

/** Why accounts that nobody uses are kept although the operator wants them deleted, or null. */
export function inactivityWarning({ INACTIVE_ACCOUNTS, SMTP_URL }: Settings): string | null {
  return INACTIVE_ACCOUNTS === 'delete' && SMTP_URL === null
    ? 'INACTIVE_ACCOUNTS is delete, but without SMTP_URL nobody can be warned: no account is deleted.'
    : null;
}

function inactivityFindings(settings: Settings): CheckResult[] {
  const message = inactivityWarning(settings);
  return message === null ? [] : [{ name: 'inactive accounts', ok: false, message }];
}

/** Characters of the admin's password at least; with fewer nobody is let in. [reference 12.1] */
const shortestAdminPassword = 5;

function adminFindings({ BROKER_ADMIN_PASSWORD }: Settings): CheckResult[] {
  if (BROKER_ADMIN_PASSWORD === null || BROKER_ADMIN_PASSWORD.length >= shortestAdminPassword) return [];
  const message = `BROKER_ADMIN_PASSWORD has fewer than ${shortestAdminPassword} characters, so nobody is let in as admin.`;
  return [{ name: 'broker admin', ok: false, message }];
}

/**
 * Why robots will not reach the built-in broker, or null: where the address for browsers is encrypted they dial the port
 * for encrypted connections, and nothing answers there. [client FBOS]
 */
export function tlsWarning(settings: Settings): string | null {
  const { BROKER_URL, MQTT_PORT, MQTTS_PORT, MQTT_WS_URL, PUBLIC_URL, TLS_CERT, TLS_KEY } = settings;
  if (BROKER_URL !== null || MQTT_PORT === 0 || !/^(?:wss|https):/i.test(MQTT_WS_URL ?? PUBLIC_URL ?? '')) return null;
  const hasCertificate = TLS_CERT !== null && TLS_KEY !== null;
  if (hasCertificate && MQTTS_PORT > 0) return null;
  const cause = `Robots dial port 8883 with encryption, because ${MQTT_WS_URL ? 'MQTT_WS_URL' : 'PUBLIC_URL'} is encrypted`;
  return hasCertificate
    ? `${cause}, but MQTTS_PORT is 0.`
    : `${cause}, but nothing answers there: set TLS_CERT and TLS_KEY.`;
}

/** The message broker that is built in: its ports, and what robots need where they encrypt. */
async function embeddedFindings(settings: Settings): Promise<CheckResult[]> {
  const { HOST: host, MQTT_PORT, MQTTS_PORT, TLS_CERT, TLS_KEY } = settings;
  if (MQTT_PORT === 0) return [{ name: 'broker', ok: true, message: 'MQTT_PORT is 0: there is no message broker.' }];
  const isServing = servingProcess(settings.DATA_DIR) !== null;
  const port = (setting: 'MQTT_PORT' | 'MQTTS_PORT') =>
    checkPort({ setting, port: settings[setting], host, isServing });
  const findings = [await looked('broker', () => port('MQTT_PORT'))];
  const warning = tlsWarning(settings);
  if (warning !== null) findings.push({ name: 'broker encryption', ok: false, message: warning });
  if (TLS_CERT === null || TLS_KEY === null || MQTTS_PORT === 0) return findings;
  const certificate = { cert: TLS_CERT, key: TLS_KEY, host: dialledHost(settings), now: systemClock.now() };
  return [
    ...findings,
    await looked('broker encryption', () => port('MQTTS_PORT')),
    await looked('certificate', () => checkCertificate(certificate)),
  ];
}

/** The host that tokens name; null where that is whatever clients use. */
const dialledHost = ({ MQTT_HOST, PUBLIC_URL }: Settings): string | null =>
  MQTT_HOST ?? (PUBLIC_URL === null ? null : new URL(PUBLIC_URL).hostname.replace(/^\[|\]$/g, ''));

/** RabbitMQ: whether it can be used, and what clients are told of it. */
async function rabbitMqFindings(settings: Settings): Promise<CheckResult[]> {
  const {
    BROKER_URL: url,
    BROKER_ADMIN_PASSWORD,
    BROKER_MANAGEMENT_URL,
    MQTT_WS_URL,
    MQTT_HOST,
    PUBLIC_URL,
  } = settings;
  if (url === null) return [];
  return [
    ...(await checkRabbitMq({ url, adminPassword: BROKER_ADMIN_PASSWORD, managementUrl: BROKER_MANAGEMENT_URL })),
    await looked('broker address', async () => {
      const robots = MQTT_HOST ?? 'the host of this server';
      if (MQTT_WS_URL !== null) return `Robots are sent to ${robots}, browsers to MQTT_WS_URL.`;
      if (PUBLIC_URL === null)
        throw new Error('Browsers are sent to /ws on this server, which RabbitMQ does not answer: set MQTT_WS_URL.');
      return `Robots are sent to ${robots}, browsers to /ws on PUBLIC_URL: your proxy has to lead that to RabbitMQ.`;
    }),
  ];
}

/** Where the key is a file: one that is damaged would keep the server from starting. */
async function keyFindings(settings: Settings): Promise<CheckResult[]> {
  if (settings.DATABASE_URL !== null) return [];
  const path = keyFile(settings.DATA_DIR);
  const unmade: KeyStore = {
    read: fileKeyStore(path).read,
    write: () => Promise.reject(new Unmade()),
  };
  return [
    await looked('key', async () => {
      const isMade = await loadKeyPair(unmade).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Unmade) return false;
          throw error;
        },
      );
      return isMade ? `${path} can be read.` : `${path} will be made at the first start.`;
    }),
  ];
}

class Unmade extends Error {}

async function databaseFindings(settings: Settings, log: Logger): Promise<CheckResult[]> {
  const file = databasePath(settings.DATA_DIR);
  if (settings.DATABASE_URL === null && !existsSync(file))
    return [{ name: 'database', ok: true, message: `${file} will be made at the first start.` }];
  const findings: CheckResult[] = [];
  const database = openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
  try {
    findings.push(
      await looked('database', async () => {
        const version = await schemaVersion(database.reader).catch((error: unknown) => {
          if (error instanceof Failure) throw new Error('The database does not answer.');
          return 0;
        });
        const newest = migrations.at(-1)?.number ?? 0;
        if (version > newest) throw new Error('A newer program made this database; please use that one.');
        const engine = database.dialect.name === 'sqlite' ? 'SQLite' : 'PostgreSQL';
        return version === newest
          ? `${engine} answers and is up to date.`
          : `${engine} answers; the next start brings it up to date.`;
      }),
    );
    if (findings[0]?.ok && (await schemaVersion(database.reader).catch(() => 0)) > 0) {
      const scope = createScopeFactory({
        database,
        clock: systemClock,
        events: new EventDispatcher(systemClock),
        bodies: async () => new Map(),
      });
      findings.push(
        await looked('jobs', async () => {
          const count = await countDeadJobs(scope(log));
          const [last] = await failedJobs(scope(log), 1);
          if (last) {
            const jobs = count === 1 ? '1 background job was' : `${count} background jobs were`;
            throw new Error(`${jobs} given up, the last one: ${last.kind}, ${last.last_error}.`);
          }
          return 'No background job was given up.';
        }),
      );
    }
  } finally {
    await database.close();
  }
  return findings;
}

async function mailFinding(settings: Settings): Promise<CheckResult> {
  if (settings.SMTP_URL === null)
    return {
      name: 'mail',
      ok: true,
      message: `There is no mail server: each message becomes a file in ${settings.DATA_DIR}/outbox.`,
    };
  const transport = smtpTransport(settings.SMTP_URL, settings.MAIL_FROM, systemClock);
  try {
    return await looked('mail', async () => {
      await transport.verify();
      return 'The mail server takes messages.';
    });
  } finally {
    transport.close();
  }
}

async function looked(name: string, look: () => Promise<string>): Promise<CheckResult> {
  try {
    return { name, ok: true, message: await look() };
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
