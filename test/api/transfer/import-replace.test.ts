import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { logs } from '../../../src/device/logs.ts';
import { telemetries } from '../../../src/device/telemetries.ts';
import { sensorReadings } from '../../../src/garden/sensor-readings.ts';
import { images } from '../../../src/photos/images.ts';
import type { Document } from '../../support/account-transfer.ts';
import { exportAccount, fixture, sendImport } from '../../support/account-transfer.ts';
import type { Account, TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeEngines('an account that is replaced while its robot is running', (engine) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const server = suiteApp(engine, { HOST: '127.0.0.1', PORT: '0' }, clock);
  const backups = (): string[] => {
    const folder = join(server.settings.DATA_DIR, 'imports-replaced');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.zip')) : [];
  };

  /** Replaces an account. `meanwhile` runs after the backup, and is committed before the account is replaced. */
  async function replaced(account: Account, meanwhile: (scope: DeviceScope) => Promise<void>): Promise<TestResponse> {
    const known = backups().length;
    let hold = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const device = server.app.server().device(account.deviceId);
    const held = device.transaction(async (scope) => {
      hold();
      while (backups().length === known) await pause(10);
      await meanwhile(scope);
    });
    await isHeld;
    const headers = { 'x-account-password': password };
    const plain = fixture('plain');
    const document = { ...plain, images: [], logs: plain.logs.slice(0, 1), telemetries: [], sensor_readings: [] };
    const response = await sendImport(server, account, document, '?mode=replace', headers);
    await held;
    return response;
  }

  const withHistory = async (): Promise<Account> => {
    const account = await server.signUp();
    const { token } = account;
    await server.call('POST', '/api/logs', { token, body: { message: 'Before' } });
    await server.call('POST', '/api/tools', { token, body: { name: 'To be replaced' } });
    await exportAccount(server, account);
    return account;
  };

  it('keeps messages of the robot after the backup', async () => {
    const account = await withHistory();
    const { status, json, text } = await replaced(account, async (scope) => {
      await scope.insert(logs, { message: 'Meanwhile', channels: ['toast'], type: 'warn', verbosity: 2 });
      await scope.insert(telemetries, { target: 'rpi4', uptime: 7 });
      await scope.insert(sensorReadings, {
        mode: 1,
        pin: 59,
        value: 321,
        x: 1,
        y: null,
        z: 0.5,
        read_at: '2026-01-01T00:00:00.000Z',
      });
    });
    expect([status, json.mode], text).toEqual([200, 'replace']);
    const after = await exportAccount(server, account);
    // The last one that was received.
    expect(after.logs).toMatchObject([
      { message: fixture('plain').logs[0].message },
      { message: 'Meanwhile', channels: ['toast'], type: 'warn', verbosity: 2 },
    ]);
    expect(after.telemetries).toMatchObject([{ target: 'rpi4', uptime: 7 }]);
    expect(after.sensor_readings).toMatchObject([{ pin: 59, value: 321, y: null, z: 0.5 }]);
    expect(after.tools.map(({ name }: Document) => name)).not.toContain('To be replaced');
  });

  it('is not changed if the robot takes a photo after the backup', async () => {
    const account = await withHistory();
    const known = backups();
    const { status, json } = await replaced(account, async (scope) => {
      const photo = {
        attachment_url: 'http://x.invalid/1.jpg',
        origin: 'http://x',
        meta: {},
        photo_key: 'a'.repeat(32),
      };
      await scope.insert(images, photo);
    });
    expect([status, json]).toEqual([503, { error: 'The account was changed during the import. Please try again.' }]);
    const after = await exportAccount(server, account);
    expect([after.tools, after.images, after.logs]).toMatchObject([
      [{ name: 'To be replaced' }],
      [{}],
      [{ message: 'Before' }],
    ]);
    expect(backups()).toEqual(known);
  });

  it('keeps no files that were sent before a crash', async () => {
    const folder = join(server.settings.DATA_DIR, 'imports');
    mkdirSync(folder, { recursive: true });
    const leave = (name: string): void => {
      // As by createTemporaryPath. No process has this id.
      const host = hostname()
        .replaceAll(/[^\w-]/g, '_')
        .slice(0, 32);
      const path = join(folder, `import.${host}.4294967.${name}.partial`);
      writeFileSync(path, 'half');
      utimesSync(path, 0, 0);
    };
    leave('00000001');
    await server.app.listen();
    expect(readdirSync(folder)).toEqual([]);
    leave('00000002');
    await server.app.runJobs();
    expect(readdirSync(folder)).toHaveLength(1);
    clock.ahead = 25 * 3600_000;
    const left = async () => {
      await server.app.runJobs();
      return readdirSync(folder);
    };
    await expect.poll(left).toEqual([]);
  });
});
