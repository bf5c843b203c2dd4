import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { jobs } from '../../src/jobs/job-rows.ts';
import { startApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../support/photo-upload.ts';

describeEngines('a mail server that accepts connections and says nothing', (engine) => {
  it('delays no photo', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const environment = { SMTP_URL: `smtp://127.0.0.1:${port}`, HOST: '127.0.0.1', PORT: '0' };
    const server = await startApp(engine, environment);
    const base = (await server.app.listen()).address;
    const { token, email } = await server.signUp();
    for (let i = 0; i < 8; i++)
      expect((await server.call('POST', '/api/password_resets', { body: { email } })).status).toBe(200);
    const running = () => server.app.server().count(jobs, { where: { locked_until: { not: null } } });
    await expect.poll(running).toBeGreaterThanOrEqual(4);
    const id = await uploadPhoto(base, token, await solidColorPicture(90));
    // Each mail waits for 20 seconds.
    expect(await processedPhotoUrl(base, token, id)).toContain('/photos/');
    expect(await running()).toBeGreaterThanOrEqual(4);
    for (const socket of sockets) socket.destroy();
    silent.close();
    await server.close();
  });
});
