import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { databasePath } from '../../src/db/open.ts';
import { freePort } from '../support/free-port.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../support/servers.ts';
import { Api } from './api.ts';
import { commonSettings, type Installation, serverFaults } from './installation.ts';
import type { SoakReport } from './soak-report.ts';

/** Starts one process with SQLite, the built-in broker, photos on disk, and mails in the outbox. */
export async function startSingleServer(report: SoakReport): Promise<Installation> {
  const folder = await createTempFolder();
  const port = await freePort();
  const settings = { ...commonSettings, MQTT_PORT: String(await freePort()) };
  const server = new ServerProcess(folder, port, settings, cheapPasswords);
  await server.start();
  const api = new Api([server.base], report);
  return {
    name: 'sqlite',
    servers: [server],
    api,
    faults: serverFaults(server, 'server'),
    brokerUrls: [server.mqtt, `${server.base.replace('http', 'ws')}/ws`],
    mailsExports: false,
    mailsTo: async (email) => (await server.outbox.mailsTo(email)).map(({ text }) => text),
    async query(sql) {
      const database = new Database(join(databasePath(server.dataDir)));
      try {
        const statement = database.prepare<[], Record<string, unknown>>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        database.close();
      }
    },
    async remove() {
      api.close();
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
