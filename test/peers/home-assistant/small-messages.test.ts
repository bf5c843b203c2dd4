import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { password, startApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { waitUntil } from '../../support/robot-server.ts';

it('a broker that closes the connection at large messages still gets the states of gardens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'potager-mosquitto-'));
  const port = await freePort();
  const lines = [`listener ${port} 127.0.0.1`, 'user root', 'allow_anonymous true', 'max_packet_size 2048'];
  await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  const broker = spawn('/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')]);
  let log = '';
  broker.stderr.on('data', (text) => {
    log += text;
  });
  onTestFinished(() => {
    broker.kill();
    return rm(folder, { recursive: true });
  });
  const closings = () => log.split('oversize packet').length - 1;

  const server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', HOME_ASSISTANT: `mqtt://127.0.0.1:${port}` });
  await server.app.listen();
  onTestFinished(() => server.close());
  const { token, deviceId } = await server.signUp();
  const call = (method: string, path: string, body: object) => server.call(method, path, { token, body });
  await call('PATCH', `/api/admin/home_assistant/${deviceId}`, { allowed: true, password });
  expect(await call('PATCH', '/api/home_assistant', { on: true, password })).toMatchObject({ status: 200 });
  const home = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, { username: 'home', password: 'x' });
  onTestFinished(() => home.end());
  await home.subscribe('potager/#');
  const state = `potager/device_${deviceId}/state`;
  await waitUntil(() => home.received.some(({ topic }) => topic === state), 'the state');
  await waitUntil(() => closings() === 2, 'the second attempt');
  // A changed discovery is held back, too.
  await call('PATCH', '/api/device', { name: 'Cold frame' });
  await call('PATCH', '/api/home_assistant', { on: false, password });
  await waitUntil(() => home.received.some(({ topic, text }) => topic === state && text === ''), 'the removal');
  expect(closings()).toBe(2);
});
