import { pino } from 'pino';
import { expect, it } from 'vitest';
import { invitations } from '../../../src/accounts/invitations.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { createApp } from '../../../src/app.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import { logs } from '../../../src/device/logs.ts';
import { points } from '../../../src/garden/points.ts';
import { authorizeUpload, issueUploadKey, toClientKey, uploads } from '../../../src/photos/uploads.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const hour = 3600_000;
const year = 365 * 24 * hour;

describeEngines('a clock that is a year ahead', (engine) => {
  it('deletes nothing within an hour, and old records afterwards', async () => {
    const state = { elapsed: 0, error: 0 };
    const start = Date.now();
    const clock = { now: () => start + state.elapsed + state.error, elapsed: () => state.elapsed };
    const server = await startApp(engine, {}, clock);
    const { app, call } = server;
    const { token, deviceId } = await server.signUp();
    const { json } = await call('POST', '/api/points', {
      token,
      body: { pointer_type: 'GenericPointer', name: 'Old', x: 1, y: 2, z: 0, radius: 1 },
    });
    expect((await call('DELETE', `/api/points/${json.id}`, { token })).status).toBe(200);
    expect((await call('POST', '/api/logs', { token, body: { message: 'Kept', type: 'info' } })).status).toBe(200);
    const invitation = { email: 'bob@example.com', role: 'viewer' };
    expect((await call('POST', '/api/invitations', { token, body: invitation })).status).toBe(200);
    const issueKey = () => issueUploadKey(app.server().device(deviceId));
    const { key } = await issueKey();
    const rest = async () => {
      const device = app.server().device(deviceId);
      return {
        logs: await device.count(logs, { where: { message: 'Kept' } }),
        points: await device.count(points, { where: { name: 'Old' } }),
        history: await device.count(changeRows, { where: { resource: 'Point', record_id: json.id } }),
        invitations: await device.count(invitations),
        keys: await device.count(uploads, { where: { key } }),
      };
    };

    state.elapsed = 60_000;
    state.error = year;
    for (let minute = 0; minute < 50; minute += 10) {
      await app.runJobs();
      await issueKey();
      state.elapsed += 10 * 60_000;
    }
    expect(await rest()).toEqual({ logs: 1, points: 1, history: 2, invitations: 1, keys: 1 });
    state.error = 0;
    expect(await authorizeUpload(app.server(), toClientKey(key), undefined)).toMatchObject({ key });
    expect((await call('GET', '/api/logs', { token })).status).toBe(200);

    state.error = year;
    for (let passed = 0; passed < 50; passed += 2) {
      await app.runJobs();
      state.elapsed += 2 * hour;
    }
    await issueKey();
    expect(await rest()).toEqual({ logs: 0, points: 0, history: 0, invitations: 0, keys: 0 });
    await server.close();
  });

  it('deletes nothing within an hour after a start with it', async () => {
    const server = await startApp(engine);
    const { token, deviceId } = await server.signUp();
    const invitation = { email: 'bob@example.com', role: 'viewer' };
    expect((await server.call('POST', '/api/invitations', { token, body: invitation })).status).toBe(200);
    const state = { elapsed: 0 };
    const ahead = Date.now() + year;
    const clock = { now: () => ahead + state.elapsed, elapsed: () => state.elapsed };
    const started = await createApp(server.settings, { clock, logger: pino({ level: 'silent' }) });
    const rest = async () => {
      await started.runJobs();
      const scope = server.app.server().device(deviceId);
      return [await scope.count(invitations), await scope.count(tokenIssuances)];
    };
    for (let minute = 0; minute < 60; minute += 10) {
      state.elapsed = minute * 60_000;
      expect(await rest()).toEqual([1, 1]);
    }
    state.elapsed = 2 * 24 * hour;
    await expect.poll(rest).toEqual([0, 0]);
    await started.close();
    await server.close();
  });
});
