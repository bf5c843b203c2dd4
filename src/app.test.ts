import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import inject from 'light-my-request';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startApp } from '../test/support/app.ts';
import { createMigratedDatabase, dropDatabase } from '../test/support/databases.ts';
import { engines, itAnyEngine } from '../test/support/engines.ts';
import { createApp } from './app.ts';
import { openDatabase } from './db/open.ts';
import { readSettings } from './settings/settings.ts';

itAnyEngine('knows its config and counts requests when the first one arrives', async () => {
  const server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', METRICS: 'on' });
  const { http } = server.app;
  const first = new Promise<inject.Response>((resolve) => {
    http.server.once('listening', () =>
      resolve(inject((request, response) => void http.server.emit('request', request, response), '/api/global_config')),
    );
  });
  await server.app.listen();
  expect((await first).json()).toMatchObject({ NODE_ENV: 'production' });
  expect((await server.call('GET', '/metrics')).text).toContain(
    'potager_http_requests_total{method="GET",status="2xx"} 1\n',
  );
  await server.close();
});

it.each(engines)('closes the database if the schedules of jobs cannot be planned (%s)', async (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'potager-app-'));
  const url = await createMigratedDatabase(engine, folder);
  const database = await openDatabase(url, folder, () => undefined);
  await database.script(['drop table job_schedules']);
  const settings = readSettings({ DATA_DIR: folder, MQTT_PORT: '0', ...(url && { DATABASE_URL: url }) });
  await expect(createApp(settings, { logger: pino({ level: 'silent' }) })).rejects.toThrow('job_schedules');
  if (url) {
    const others = `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await expect.poll(() => database.reader.query(others, [])).toEqual([[0]]);
    await database.close();
    await dropDatabase(url);
  } else {
    await database.close();
    const open = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});
