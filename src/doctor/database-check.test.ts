import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startApp } from '../../test/support/app.ts';
import { dropDatabase } from '../../test/support/databases.ts';
import { createReleaseDatabase } from '../../test/support/earlier-release.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { openDatabase } from '../db/open.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/settings.ts';
import { checkClock, synchronizationNote } from './clock-check.ts';
import { checkDatabase } from './database-check.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const results = async (settings: Settings, name?: string) =>
  (await checkDatabase(settings, silent)).filter((each) => name === undefined || each.name === name);

describeEngines('doctor, for the database', (engine) => {
  const label = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';

  it('notes that the first start of a new version will migrate it, and reads no row before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-release-'));
    const url = await createReleaseDatabase(engine, folder);
    try {
      const settings = { ...readSettings({ DATA_DIR: folder }), DATABASE_URL: url };
      // The folder has no key, unlike the server's.
      expect((await results(settings)).filter(({ name }) => name !== 'key')).toEqual([
        {
          name: 'database',
          ok: true,
          isWarning: true,
          message: `${label} responds; the next start of this version migrates it. Its rows are checked after that. Before: potager update --check`,
        },
      ]);
    } finally {
      if (url !== null) await dropDatabase(url);
      rmSync(folder, { recursive: true });
    }
  });

  it('compares the clock with the newest change, and with the clock of PostgreSQL', async () => {
    const server = await startApp(engine);
    const { DATABASE_URL, DATA_DIR } = server.settings;
    const database = await openDatabase(DATABASE_URL, DATA_DIR, () => undefined);
    /** Returns the result for a clock that is wrong by so many ms. */
    const at = async (error: number) => {
      const clock = { now: () => Date.now() + error };
      const [result] = await checkClock(database, server.app.server(), clock);
      return [result?.isWarning ? 'note' : result?.ok, result?.message];
    };
    try {
      const remedy = 'Set it by a time server: sudo timedatectl set-ntp true';
      const agrees = `The clock of this machine agrees with ${engine === 'sqlite' ? 'the data' : "the data and PostgreSQL's"}.`;
      expect(await at(-3_600_000)).toEqual(
        engine === 'sqlite'
          ? [true, agrees]
          : [false, `The clock of this machine is 3600 s behind PostgreSQL's. ${remedy}, on both.`],
      );
      await server.signUp();
      expect(await at(0)).toEqual([true, agrees]);
      const behind = await at(-3_600_000);
      expect(behind[0]).toBe(false);
      expect(behind[1]).toMatch(
        engine === 'sqlite'
          ? /^The clock of this machine says \S+Z, but the newest change in the data is of \S+Z\. Set it .*If it is right now, it was ahead at that change\.$/
          : /^The clock of this machine is 3600 s behind PostgreSQL's\./,
      );
      expect(await at(-30_000)).toEqual(
        engine === 'sqlite'
          ? [true, agrees]
          : ['note', `The clock of this machine is 30 s behind PostgreSQL's. ${remedy}, on both.`],
      );
      if (engine === 'postgres')
        expect(await at(7_200_000)).toEqual([
          false,
          `The clock of this machine is 7200 s ahead of PostgreSQL's. ${remedy}, on both.`,
        ]);
    } finally {
      await database.close();
      await server.close();
    }
  });

  it('counts the processes on it', async () => {
    const server = await startApp(engine);
    const own = mkdtempSync(join(tmpdir(), 'potager-second-'));
    const { token } = await server.signUp();
    const message = async (more: Partial<Settings>) => {
      // Its first request has the process listen for the commits of others.
      await server.call('GET', '/api/device', { token });
      return (await results({ ...server.settings, ...more }, 'processes'))[0]?.message;
    };
    try {
      const lock = lockDataFolder(server.settings.DATA_DIR);
      expect(await message({})).toBeUndefined();
      lock.release();
      const second = { DATA_DIR: own };
      if (engine === 'sqlite') return;
      const photos = 'photos of one are not found by the others: set STORAGE_URL to a bucket';
      const messages = 'robots and pages at one get no messages of the others: set BROKER_URL to a RabbitMQ';
      const sentence = (problem: string) =>
        `With this server, 2 processes use the database, but ${problem}. Set it for all of them, or stop the others.`;
      await expect.poll(() => message(second), { timeout: 60_000 }).toBe(sentence(photos));
      expect(await message({ ...second, MQTT_PORT: 1883 })).toBe(sentence(`${photos}; ${messages}`));
      const BROKER_URL = 'amqp://broker.example';
      expect(await message({ ...second, MQTT_PORT: 1883, BROKER_URL })).toBe(sentence(photos));
    } finally {
      await server.close();
      rmSync(own, { recursive: true });
    }
  });
});

describeAnyEngine('the clock', () => {
  it('is noted if no time server sets it, although one could', () => {
    const shown = (can: string, does: string) => `LocalRTC=no\nCanNTP=${can}\nNTP=${does}\nNTPSynchronized=no\n`;
    expect(synchronizationNote(shown('yes', 'no'))).toBe(
      'No time server sets the clock of this machine. Set it by a time server: sudo timedatectl set-ntp true',
    );
    for (const output of [shown('yes', 'yes'), shown('no', 'no'), '']) expect(synchronizationNote(output)).toBeNull();
  });
});
