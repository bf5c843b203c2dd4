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
import { currentVersion } from './db/migrator.ts';
import { databaseFile, openDatabase } from './db/open.ts';
import { scopeSource } from './db/scopes.ts';
import { countDeadJobs, deadJobs } from './jobs/dead-letters.ts';
import { smtpTransport } from './mail/transport.ts';
import type { Settings } from './settings/settings.ts';

/** One thing that `doctor` looked at, with a sentence for people. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Looks at what a server needs and tells in plain words what is wrong. Changes nothing, and migrates nothing. */
export async function examine(settings: Settings, log: Logger): Promise<Finding[]> {
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
  ];
}

/** Where the key is a file: one that is damaged would keep the server from starting. */
async function keyFindings(settings: Settings): Promise<Finding[]> {
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

async function databaseFindings(settings: Settings, log: Logger): Promise<Finding[]> {
  const file = databaseFile(settings.DATA_DIR);
  if (settings.DATABASE_URL === null && !existsSync(file))
    return [{ name: 'database', ok: true, message: `${file} will be made at the first start.` }];
  const findings: Finding[] = [];
  const database = openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
  try {
    findings.push(
      await looked('database', async () => {
        const version = await currentVersion(database.reader).catch((error: unknown) => {
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
    if (findings[0]?.ok && (await currentVersion(database.reader).catch(() => 0)) > 0) {
      const scope = scopeSource({
        database,
        clock: systemClock,
        events: new EventDispatcher(systemClock),
        bodies: async () => new Map(),
      });
      findings.push(
        await looked('jobs', async () => {
          const count = await countDeadJobs(scope(log));
          const [last] = await deadJobs(scope(log), 1);
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

async function mailFinding(settings: Settings): Promise<Finding> {
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

async function looked(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, message: await look() };
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
