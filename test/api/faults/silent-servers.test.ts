import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';

/** Accepts connections and never responds; returns its port. */
async function listenSilently(): Promise<{ readonly port: number; close(): void }> {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  };
  return { port: (silent.address() as AddressInfo).port, close };
}

const here = { HOST: '127.0.0.1', PORT: '0' };

/** Creates a garden and waits for its seeding. */
async function expectSeeding(server: TestApp): Promise<void> {
  const { token } = await server.signUp();
  await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7' } });
  const tools = async () => (await server.call('GET', '/api/tools', { token })).json.length;
  await expect.poll(tools).toBe(8);
}

describeEngines('a mail server that accepts connections and says nothing', (engine) => {
  it('delays no photo and no new garden', async () => {
    const silent = await listenSilently();
    const environment = {
      ...here,
      SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
      OPERATOR_EMAIL: 'operator@example.com',
    };
    const server = await startApp(engine, environment);
    const base = (await server.app.listen()).address;
    const { token, email } = await server.signUp();
    for (let i = 0; i < 8; i++)
      expect((await server.call('POST', '/api/password_resets', { body: { email } })).status).toBe(200);
    for (let i = 0; i < 8; i++)
      expect((await server.call('POST', '/api/feedback', { token, body: { message: `Snails ${i}` } })).status).toBe(
        200,
      );
    const running = () => server.app.server().count(jobs, { where: { locked_until: { not: null } } });
    await expect.poll(running).toBeGreaterThanOrEqual(4);
    // Each mail waits for 20 seconds.
    await expectSeeding(server);
    const id = await uploadPhoto(base, token, await solidColorPicture(90));
    expect(await processedPhotoUrl(base, token, id)).toContain('/photos/');
    expect(await running()).toBeGreaterThanOrEqual(4);
    silent.close();
    await server.close();
  });
});

describeEngines('a bucket that accepts connections and says nothing', (engine) => {
  it('delays no new garden, even while a demo waits for its photo', async () => {
    const silent = await listenSilently();
    const STORAGE_URL = `s3://key:secret@127.0.0.1:${silent.port}/garden?tls=off`;
    const server = await startApp(engine, { ...here, STORAGE_URL });
    await server.app.listen();
    const body = { product_line: 'genesis_xl_1.8_stress_250' };
    expect((await server.call('POST', '/api/demo_gardens', { body })).status).toBe(200);
    const isWaiting = () =>
      server.app.server().count(jobs, { where: { kind: 'seed_device_with_photo', locked_until: { not: null } } });
    await expect.poll(isWaiting).toBe(1);
    await expectSeeding(server);
    expect(await isWaiting()).toBe(1);
    silent.close();
    await server.close();
  });
});
