import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { globalConfig } from './accounts/global-config.ts';
import type { KeyStore } from './accounts/key-pair.ts';
import { fileKeyStore, keyFile, loadKeyPair, lostKeyMessage } from './accounts/key-pair.ts';
import { lostDatabase } from './backup/lost-database.ts';
import { systemClock } from './core/clock.ts';
import { Failure } from './core/errors.ts';
import type { Logger } from './core/logger.ts';
import { quotaNames } from './core/quotas.ts';
import { EventDispatcher } from './db/event-dispatcher.ts';
import { migrations } from './db/migrations/list.ts';
import { NewerDatabaseError, pendingMigrations } from './db/migrator.ts';
import { databasePath, openDatabase } from './db/open.ts';
import { createScopeFactory } from './db/scopes.ts';
import { assertFolderWritable, checkSqliteFile } from './health/disk-checks.ts';
import { countJobs, failedJobs } from './jobs/job-counts.ts';
import { hookProblem } from './live/rabbitmq/rabbitmq-address.ts';
import { smtpTransport } from './mail/transport.ts';
import { checkCertificate } from './mqtt/certificate.ts';
import { checkPort } from './mqtt/port-check.ts';
import { countNearLimits } from './operating/account-usage.ts';
import { layoutOf } from './pages/web-app-layout.ts';
import { incomingFolder, photosFolder } from './photos/photo-storage.ts';
import { openPhotoStorage } from './photos/storage-selection.ts';
import { servingProcess } from './settings/data-folder-lock.ts';
import type { Settings } from './settings/settings.ts';
import { quotaLimits } from './settings/settings.ts';

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** It is ok, but the operator should read it. */
  readonly isWarning?: true;
}

/** Checks what a server needs. Changes nothing. */
export async function runChecks(settings: Settings, log: Logger): Promise<CheckResult[]> {
  const dataFolder = await check('data folder', async () => {
    const exists = await access(settings.DATA_DIR).then(
      () => true,
      () => false,
    );
    await access(
      exists ? settings.DATA_DIR : dirname(settings.DATA_DIR),
      constants.R_OK | constants.W_OK | constants.X_OK,
    );
    if (exists) await assertFolderWritable(settings.DATA_DIR);
    return exists ? `${settings.DATA_DIR} is writable.` : `${settings.DATA_DIR} will be created by the first start.`;
  });
  return [
    dataFolder,
    ...(await checkRights(settings)),
    ...(await checkKey(settings)),
    ...(await checkDatabase(settings, log)),
    await checkMail(settings),
    ...(settings.BROKER_URL === null ? await checkEmbeddedBroker(settings) : await checkBroker(settings)),
    ...checkBrokerAdmin(settings),
    ...checkInactivity(settings),
    ...(await checkPhotos(settings, log)),
    ...(await checkWebApp(settings)),
    ...checkLanguageModel(settings),
  ];
}

/** Warns if other users of the machine can enter the data folder. */
async function checkRights({ DATA_DIR }: Settings): Promise<CheckResult[]> {
  const mode = await stat(DATA_DIR).then(
    (found) => found.mode & 0o777,
    () => 0,
  );
  // Windows has no such rights.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return [];
  const message = `Other users of this machine can enter ${DATA_DIR} (its mode is ${mode.toString(8)}). Run: chmod -R go= ${DATA_DIR}`;
  return [{ name: 'data folder rights', ok: true, isWarning: true, message }];
}

/** Checks that photos can be stored in their folder, or that their bucket can be read. */
async function checkPhotos({ DATA_DIR, STORAGE_URL }: Settings, log: Logger): Promise<CheckResult[]> {
  if (STORAGE_URL === null) {
    const folder = photosFolder(DATA_DIR);
    if (!existsSync(folder)) return [];
    const isWritable = async () => {
      await assertFolderWritable(incomingFolder(DATA_DIR));
      return `${folder} is writable.`;
    };
    return [await check('photos', isWritable)];
  }
  const result = await check('photos', async () => {
    const { storage } = await openPhotoStorage(DATA_DIR, STORAGE_URL, log);
    try {
      for await (const _first of storage.list()) break;
      return `The bucket ${STORAGE_URL.bucket} is readable.`;
    } finally {
      storage.close();
    }
  });
  return [result];
}

async function checkWebApp({ WEB_APP_DIR }: Settings): Promise<CheckResult[]> {
  if (WEB_APP_DIR === null) return [];
  const result = await check('web app', async () => {
    const layout = await layoutOf(WEB_APP_DIR);
    if (layout === null)
      throw new Error('WEB_APP_DIR has no files in assets/dist or assets/parcel; the server will not start.');
    return `WEB_APP_DIR contains the web app in ${layout.bundles}.`;
  });
  return [result];
}

/** Checks the settings only: a request to the model would cost money. */
function checkLanguageModel({ AI_URL, AI_KEY, AI_MODEL }: Settings): CheckResult[] {
  if (AI_URL === null)
    return AI_KEY === null && AI_MODEL === null
      ? []
      : [{ name: 'language model', ok: false, message: 'AI_KEY and AI_MODEL have no effect without AI_URL.' }];
  return [
    {
      name: 'language model',
      ok: true,
      message: `AI_URL points to ${new URL(AI_URL).host}; no request was sent.`,
    },
  ];
}

/** Returns why inactive accounts are not deleted although INACTIVE_ACCOUNTS is "delete", or null. */
export function inactivityWarning({ INACTIVE_ACCOUNTS, SMTP_URL }: Settings): string | null {
  return INACTIVE_ACCOUNTS === 'delete' && SMTP_URL === null
    ? 'INACTIVE_ACCOUNTS is "delete", but no account is deleted, because users cannot be warned by mail: set SMTP_URL.'
    : null;
}

function checkInactivity(settings: Settings): CheckResult[] {
  const message = inactivityWarning(settings);
  return message === null ? [] : [{ name: 'inactive accounts', ok: false, message }];
}

/** Minimum length, in characters, below which the broker rejects `admin`. [rule D32] */
const minAdminPasswordLength = 5;

function checkBrokerAdmin({ BROKER_ADMIN_PASSWORD }: Settings): CheckResult[] {
  if (BROKER_ADMIN_PASSWORD === null || BROKER_ADMIN_PASSWORD.length >= minAdminPasswordLength) return [];
  const message = `BROKER_ADMIN_PASSWORD has fewer than ${minAdminPasswordLength} characters, so the broker rejects "admin".`;
  return [{ name: 'broker admin', ok: false, message }];
}

/** Returns why robots cannot reach the built-in broker, or null: if the URL for browsers is encrypted, they connect to the TLS port. [rule D33] */
export function tlsWarning(settings: Settings): string | null {
  const { BROKER_URL, MQTT_PORT, MQTTS_PORT, MQTT_WS_URL, PUBLIC_URL, TLS_CERT, TLS_KEY } = settings;
  if (BROKER_URL !== null || MQTT_PORT === 0 || !/^(?:wss|https):/i.test(MQTT_WS_URL ?? PUBLIC_URL ?? '')) return null;
  const hasCertificate = TLS_CERT !== null && TLS_KEY !== null;
  if (hasCertificate && MQTTS_PORT > 0) return null;
  const cause = `Robots connect to port 8883 with TLS, because ${MQTT_WS_URL ? 'MQTT_WS_URL' : 'PUBLIC_URL'} is encrypted`;
  return hasCertificate
    ? `${cause}, but MQTTS_PORT is 0: set it to 8883.`
    : `${cause}, but the broker has no certificate: set TLS_CERT and TLS_KEY.`;
}

/** Returns why RabbitMQ cannot call the hooks, or null. */
export const hookWarning = ({ BROKER_URL, BROKER_HOOKS_FROM }: Settings): string | null =>
  BROKER_URL === null ? null : hookProblem(BROKER_URL, BROKER_HOOKS_FROM);

/** Checks the ports and the certificate of the built-in message broker. */
async function checkEmbeddedBroker(settings: Settings): Promise<CheckResult[]> {
  const { HOST: host, MQTT_PORT, MQTTS_PORT, TLS_CERT, TLS_KEY } = settings;
  if (MQTT_PORT === 0)
    return [{ name: 'broker', ok: true, message: 'MQTT_PORT is 0: the message broker is disabled.' }];
  const isServing = servingProcess(settings.DATA_DIR) !== null;
  const port = (setting: 'MQTT_PORT' | 'MQTTS_PORT') =>
    checkPort({ setting, port: settings[setting], host, isServing });
  const results = [await check('broker', () => port('MQTT_PORT'))];
  const warning = tlsWarning(settings);
  if (warning !== null) results.push({ name: 'broker encryption', ok: false, message: warning });
  if (TLS_CERT === null || TLS_KEY === null || MQTTS_PORT === 0) return results;
  const certificate = { cert: TLS_CERT, key: TLS_KEY, host: brokerHost(settings), now: systemClock.now() };
  return [
    ...results,
    await check('broker encryption', () => port('MQTTS_PORT')),
    await check('certificate', () => checkCertificate(certificate)),
  ];
}

/** Returns the broker's host in tokens; null if it is the host that each client uses. */
const brokerHost = ({ MQTT_HOST, PUBLIC_URL }: Settings): string | null =>
  MQTT_HOST ?? (PUBLIC_URL === null ? null : new URL(PUBLIC_URL).hostname.replace(/^\[|\]$/g, ''));

/** Checks RabbitMQ, and its addresses in tokens. */
async function checkBroker(settings: Settings): Promise<CheckResult[]> {
  const {
    BROKER_URL: url,
    BROKER_ADMIN_PASSWORD,
    BROKER_MANAGEMENT_URL,
    BROKER_HOOKS_FROM,
    MQTT_WS_URL,
    MQTT_HOST,
    PUBLIC_URL,
  } = settings;
  if (url === null) return [];
  const { checkRabbitMq } = await import('./live/rabbitmq/rabbitmq-check.ts');
  return [
    ...(await checkRabbitMq({
      url,
      adminPassword: BROKER_ADMIN_PASSWORD,
      managementUrl: BROKER_MANAGEMENT_URL,
      hookAddresses: BROKER_HOOKS_FROM,
      publicUrl: PUBLIC_URL,
    })),
    await check('broker address', async () => {
      const robots = MQTT_HOST ?? 'the host of this server';
      if (MQTT_WS_URL !== null) return `Robots connect to ${robots}, browsers to MQTT_WS_URL.`;
      if (PUBLIC_URL === null)
        throw new Error('Browsers connect to /ws on this server instead of RabbitMQ: set MQTT_WS_URL.');
      return `Robots connect to ${robots}, browsers to /ws on PUBLIC_URL, which your proxy must forward to RabbitMQ.`;
    }),
  ];
}

/** Checks the key file: the server does not start if it is corrupt. */
async function checkKey(settings: Settings): Promise<CheckResult[]> {
  if (settings.DATABASE_URL !== null) return [];
  const path = keyFile(settings.DATA_DIR);
  const readOnlyStore: KeyStore = {
    read: fileKeyStore(path).read,
    write: () => Promise.reject(new KeyMissing()),
  };
  return [
    await check('key', async () => {
      const exists = await loadKeyPair(readOnlyStore).then(
        () => true,
        (error: unknown) => {
          if (error instanceof KeyMissing) return false;
          throw error;
        },
      );
      return exists ? `${path} is readable.` : `${path} will be created by the first start.`;
    }),
  ];
}

class KeyMissing extends Error {}

async function checkDatabase(settings: Settings, log: Logger): Promise<CheckResult[]> {
  const file = databasePath(settings.DATA_DIR);
  if (settings.DATABASE_URL === null) {
    const lost = await lostDatabase(settings.DATA_DIR);
    if (lost !== null) return [{ name: 'database', ok: false, message: lost }];
    if (!existsSync(file))
      return [{ name: 'database', ok: true, message: `${file} will be created by the first start.` }];
    const intact = await check('database', () => checkSqliteFile(settings.DATA_DIR));
    if (!intact.ok) return [intact];
  }
  const results: CheckResult[] = [];
  const database = await openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
  let hasSchema = false;
  try {
    results.push(
      await check('database', async () => {
        const pending = await pendingMigrations(database.reader, migrations).catch((error: unknown) => {
          if (error instanceof Failure)
            throw new Error('The database does not respond. Check DATABASE_URL, and that the database is running.');
          if (error instanceof NewerDatabaseError) throw error;
          return migrations;
        });
        hasSchema = pending.length < migrations.length;
        const engine = database.dialect.name === 'sqlite' ? 'SQLite' : 'PostgreSQL';
        return pending.length === 0
          ? `${engine} responds and is up to date.`
          : `${engine} responds; the next start migrates it.`;
      }),
    );
    if (hasSchema) {
      const scope = createScopeFactory({
        database,
        clock: systemClock,
        events: new EventDispatcher(systemClock),
        bodies: async () => new Map(),
      });
      if (
        settings.DATABASE_URL === null &&
        !existsSync(keyFile(settings.DATA_DIR)) &&
        (await scope(log).count(globalConfig)) > 0
      )
        results.push({ name: 'key', ok: false, message: lostKeyMessage(keyFile(settings.DATA_DIR)) });
      results.push(
        await check('jobs', async () => {
          const { dead: count } = await countJobs(scope(log));
          const [last] = await failedJobs(scope(log), 1);
          if (last) {
            const jobs = count === 1 ? '1 background job' : `${count} background jobs`;
            throw new Error(`${jobs} failed permanently. The latest is ${last.kind}: ${last.last_error}.`);
          }
          return 'No background job failed permanently.';
        }),
      );
      results.push(
        await check('quotas', async () => {
          const limits = quotaLimits(settings);
          const near = await countNearLimits(scope(log), limits);
          const list = quotaNames.map((name) => `${name} ${limits[name]}`).join(', ');
          return `Each account may have: ${list}. Accounts that use 90 % of one or more: ${near}.`;
        }),
      );
    }
  } finally {
    await database.close();
  }
  return results;
}

async function checkMail(settings: Settings): Promise<CheckResult> {
  if (settings.SMTP_URL === null)
    return {
      name: 'mail',
      ok: true,
      message: `SMTP_URL is not set: messages are written to files in ${settings.DATA_DIR}/outbox.`,
    };
  const transport = smtpTransport(settings.SMTP_URL, settings.MAIL_FROM, systemClock);
  try {
    return await check('mail', async () => {
      await transport.verify();
      return 'The mail server accepts messages.';
    });
  } finally {
    transport.close();
  }
}

async function check(name: string, run: () => Promise<string>): Promise<CheckResult> {
  try {
    return { name, ok: true, message: await run() };
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
