import { join } from 'node:path';
import { pino } from 'pino';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair } from '../../src/accounts/key-pair.ts';
import { systemClock } from '../../src/core/clock.ts';
import { noRecords } from '../../src/db/announced-records.ts';
import { ChangeLog } from '../../src/db/change-log.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import { migrate } from '../../src/db/migrator.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createScopeFactory } from '../../src/db/scopes.ts';

/** The name of the migrated PostgreSQL database that tests copy. */
export const templateDatabase = 'potager_template';

/** Migrates the empty database at `url` (an SQLite database in `folder` if it is null) and stores a key pair. */
export async function fillTemplate(url: string | null, folder: string): Promise<void> {
  const log = pino({ level: 'silent' });
  const database = await openDatabase(url, folder, () => undefined);
  try {
    await migrate(database, migrations, { clock: systemClock, log, copies: join(folder, 'copies') });
    const scopes = createScopeFactory({
      database,
      clock: systemClock,
      changeLog: new ChangeLog(),
      records: noRecords,
    });
    await loadKeyPair(url === null ? fileKeyStore(keyFile(folder)) : databaseKeyStore(() => scopes(log)));
  } finally {
    await database.close();
  }
}
