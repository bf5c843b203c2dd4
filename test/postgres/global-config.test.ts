import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GlobalConfig, globalConfig } from '../../src/accounts/global-config.ts';
import { noRecords } from '../../src/db/announced-records.ts';
import { ChangeLog } from '../../src/db/change-log.ts';
import { migrate } from '../../src/db/migrator.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { createScopeFactory } from '../../src/db/scopes.ts';
import { createDatabase } from '../support/databases.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { now: () => Date.UTC(2026, 3, 1) };
const folder = await mkdtemp(join(tmpdir(), 'potager-config-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

it('is inserted once by servers that start concurrently on one database', async () => {
  const database = openPostgres(await createDatabase(), () => undefined);
  const { id: _id, created_at: _created, updated_at: _updated, ...columns } = globalConfig.columns;
  await migrate(
    database,
    [
      {
        number: 1,
        name: 'all',
        change: (schema) => schema.createTable(globalConfig.name, columns, { unique: [['key']] }),
      },
    ],
    { clock, log: silent, copies: folder },
  );
  const source = createScopeFactory({
    database,
    clock,
    changeLog: new ChangeLog(),
    records: noRecords,
  });
  const facts = { NODE_ENV: 'test', LONG_REVISION: '1', SHORT_REVISION: '1', MQTT_WS: 'ws://a/ws' };
  await Promise.all(
    ['', '', 'https://a/terms', '', ''].map(async (TOS_URL) => {
      const config = new GlobalConfig(() => source(silent));
      await config.ensureDefaults({ TOS_URL, PRIV_URL: '' });
      await config.writeServerValues(facts);
    }),
  );
  expect(await new GlobalConfig(() => source(silent)).read(source(silent))).toEqual({
    FBOS_END_OF_LIFE_VERSION: '14.6.0',
    MINIMUM_FBOS_VERSION: '14.6.0',
    TOS_URL: 'https://a/terms',
    PRIV_URL: '',
    ...facts,
  });
  await database.close();
});
