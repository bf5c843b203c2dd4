import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { JobQueue } from '../../../src/jobs/queue.ts';
import { createPendingPhoto, photoJobKinds } from '../../../src/photos/photo-records.ts';
import { issueUploadKey, toClientKey } from '../../../src/photos/uploads.ts';
import { exportAccount, fixture, sendImport } from '../../support/account-transfer.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { suitePhotoServer } from '../../support/photo-server.ts';
import { solidColorPicture } from '../../support/photo-upload.ts';
import { suiteServer } from '../../support/servers.ts';

/** More than any disk has. */
const full = { MIN_FREE_BYTES: '999999999999999' };
const refusal = /disk of the server is almost full: it accepts no uploads, imports and backups/;

describeEngines('with less free space than required', (engine) => {
  const clock = { time: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.time };
  const server = suitePhotoServer(engine, { ...full, FETCH_PRIVATE_ADDRESSES: 'on' }, clock);

  it('photos are refused with one notice a day, and nothing else of a robot', async () => {
    const account = await server.signUp();
    const { token, deviceId, email } = account;
    const refused = { status: 507, json: { error: expect.stringMatching(refusal) } };
    const permission = () => server.call('GET', '/api/storage_auth', { token });
    const notices = async () => {
      const { json } = await server.call('GET', '/api/logs', { token });
      return (json as { message: string }[]).filter(({ message }) => refusal.test(message)).length;
    };
    expect(await permission()).toMatchObject(refused);
    const body = { attachment_url: 'http://x.invalid/1.jpg' };
    expect(await server.call('POST', '/api/images', { token, body })).toMatchObject(refused);
    const { key } = await issueUploadKey(server.app.server().device(deviceId));
    const sent = await server.sendForm([
      ['key', toClientKey(key)],
      ['file', await solidColorPicture(90)],
    ]);
    expect([sent.status, JSON.parse(sent.text)]).toEqual([507, refused.json]);
    expect([server.incomingFiles(), server.storedFiles(), await notices()]).toEqual([[], [], 1]);
    clock.time += 86_400_001;
    await permission();
    expect(await notices()).toBe(2);

    for (const [method, path, sent] of [
      ['POST', '/api/tokens', { user: { email, password } }],
      ['GET', '/api/device/sync', undefined],
      ['POST', '/api/tools', { name: 'Hoe' }],
      ['POST', '/api/logs', { message: 'I am here' }],
      ['PATCH', '/api/device', { name: 'Robot' }],
    ] as const)
      expect((await server.call(method, path, { token, ...(sent && { body: sent }) })).status, path).toBe(200);
  });

  it('photos that were accepted before are fetched only when there is space', async () => {
    let requests = 0;
    const elsewhere = createServer((_request, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    try {
      const { deviceId } = await server.signUp();
      const attachment_url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/1.jpg`;
      const photo = { attachment_url, origin: server.base };
      await server.app
        .server()
        .device(deviceId)
        .transaction((scope) => createPendingPhoto(scope, new JobQueue(), photo));
      await server.app.runJobs();
      const waiting = await server.app
        .server()
        .rows(jobs, { where: { kind: photoJobKinds.fetch, device_id: deviceId } });
      expect(waiting).toMatchObject([{ attempts: 0, failed_at: null, last_error: expect.stringMatching(refusal) }]);
      expect(waiting[0]?.paused_since).not.toBeNull();
      expect(requests).toBe(0);
    } finally {
      elsewhere.close();
    }
  });

  it('imports are refused before anything is stored, and exports are not', async () => {
    const account = await server.signUp();
    const before = await exportAccount(server, account);
    const headers = { 'x-account-password': password };
    for (const query of ['', '?check=true', '?mode=replace'])
      expect(await sendImport(server, account, fixture('plain'), query, headers)).toMatchObject({
        status: 507,
        json: { error: expect.stringMatching(refusal) },
      });
    const after = await exportAccount(server, account);
    expect({ ...after, export_created_at: '' }).toEqual({ ...before, export_created_at: '' });
    expect(readdirSync(server.settings.DATA_DIR)).not.toContain('imports');
    const { status } = await server.call('POST', '/api/export_data?photos=true', { token: account.token });
    expect(status).toBe(200);
  });

  it('photos are refused also if they are stored in a bucket: uploads are written to the disk first', async () => {
    const statuses: number[] = [];
    // Permission to upload needs no bucket.
    for (const minFree of [full.MIN_FREE_BYTES, '0']) {
      const other = await startApp(engine, {
        STORAGE_URL: 's3://a:b@127.0.0.1:1/photos?tls=off',
        MIN_FREE_BYTES: minFree,
      });
      const { token } = await other.signUp();
      statuses.push((await other.call('GET', '/api/storage_auth', { token })).status);
      await other.close();
    }
    expect(statuses).toEqual([507, 200]);
  });

  it('/health reports it, without failing', async () => {
    const { status, json } = await server.call('GET', '/health');
    expect([status, json]).toMatchObject([
      200,
      {
        status: 'ok',
        disk: {
          ok: false,
          message: 'The disk is almost full: uploads and imports are refused. Run "potager doctor".',
        },
      },
    ]);
  });
});

describe('with less free space than required', () => {
  const server = suiteServer('sqlite', full);

  it('commands and the log of a start name the folder', async () => {
    const sentence = (folder: string) =>
      expect.stringMatching(
        new RegExp(
          `The disk with ${folder} has [\\d,]+ MiB of free space, less than 953,674,316 MiB: .*MIN_FREE_BYTES`,
        ),
      );
    await expect.poll(() => server.logs()).toEqual(sentence(server.dataDir));
    expect(await server.run(['doctor'])).toMatchObject({ code: 1, stdout: sentence(server.dataDir) });
    const archive = join(server.folder, 'x.tar');
    expect(await server.run(['backup', archive])).toMatchObject({ code: 1, output: sentence(server.folder) });
    const email = 'ada@example.com';
    await server.run(['user', 'create', email, '--password', password]);
    const exported = join(server.folder, 'x.json');
    expect(await server.run(['export', email, exported])).toMatchObject({ code: 1, output: sentence(server.folder) });
    expect(readdirSync(server.folder).filter((name) => name.startsWith('x.'))).toEqual([]);
    expect(await server.run(['export', email, exported], { MIN_FREE_BYTES: '0' })).toMatchObject({ code: 0 });
    expect(await server.run(['import', email, exported])).toMatchObject({
      code: 1,
      output: sentence(join(server.dataDir, 'imports')),
    });
  });
});
