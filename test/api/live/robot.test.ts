import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addRobotCommand } from '../../../src/robot/robot-command.ts';
import { freePort } from '../../support/free-port.ts';
import { isObject } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { type RobotAccount, type RobotServer, suiteRobotServer, waitUntil } from '../../support/robot-server.ts';

const garden = suiteRobotServer('sqlite', '127.0.0.22');

/** Receives all messages of a robot. */
async function listen({ bot, token }: RobotAccount): Promise<MqttTestClient> {
  const listener = await MqttTestClient.connect(garden.mqtt, { username: bot, password: token });
  await listener.subscribe(`bot/${bot}/#`);
  return listener;
}

const rpc = (label: string, ...body: object[]): string =>
  JSON.stringify({ kind: 'rpc_request', args: { label, priority: 500 }, body });

/** Creates an account with a virtual robot and a client that receives its messages. */
async function meet(options: Parameters<RobotServer['robot']>[1] = {}) {
  const gardener = await garden.signUp();
  const listener = await listen(gardener);
  const { robot, lines } = await garden.robot(gardener, options);
  const topic = (channel: string) => `bot/${gardener.bot}/${channel}`;
  const on = (channel: string) => listener.received.filter((each) => each.topic === topic(channel));
  const request = async (label: string, ...body: object[]): Promise<unknown> => {
    await listener.publish(topic('from_clients'), rpc(label, ...body));
    return answerTo(label);
  };
  const answerTo = async (label: string): Promise<unknown> => {
    const found = () => on('from_device').find(({ text }) => JSON.parse(text).args.label === label);
    await listener.waitUntil(() => found() !== undefined, `the answer to ${label}`);
    return JSON.parse(found()?.text ?? '');
  };
  return { gardener, listener, robot, lines, topic, on, request, answerTo };
}

describe('a virtual robot', () => {
  it('publishes its state, its status and a log that it is ready after connecting', async () => {
    const { gardener, listener, on } = await meet();
    await listener.waitUntil(() => on('status').length > 0 && on('logs').length > 0 && on('telemetry').length > 0);
    expect(on('status').every(({ retain }) => !retain)).toBe(true);
    expect(JSON.parse(on('logs')[0]?.text ?? '')).toEqual({
      type: 'success',
      message: 'The virtual robot is ready.',
      x: 0,
      y: 0,
      z: 0,
      verbosity: 1,
      major_version: 15,
      minor_version: 5,
      patch_version: 3,
      created_at: expect.any(Number),
      channels: [],
      meta: { assertion_passed: null, assertion_type: null },
    });
    await waitUntil(async () => {
      const { json } = await garden.http.get('/api/telemetries', gardener.token);
      return Array.isArray(json) && json.length === 1;
    }, 'the telemetry');
    const { json } = await garden.http.get('/api/telemetries', gardener.token);
    expect(json).toMatchObject([{ target: 'rpi3', soc_temp: 42, wifi_level_percent: 80, fbos_version: '15.5.3' }]);
    await listener.end();
  });

  it('appears as a robot in its account', async () => {
    const { gardener, listener } = await meet();
    const { json } = await garden.http.get('/api/device', gardener.token);
    expect(json).toMatchObject({ fbos_version: '15.5.3', last_saw_api: expect.any(String) });
    await listener.end();
  });

  it('echoes pings, one level deep', async () => {
    const { listener, topic, on } = await meet();
    await listener.publish(topic('ping/7/8'), '"deep"');
    await listener.publish(topic('ping/7'), 'any bytes: \u0000{');
    await listener.waitUntil(() => on('pong/7').length > 0, 'the pong');
    expect(on('pong/7').map(({ text }) => text)).toEqual(['any bytes: \u0000{']);
    expect(on('pong/7/8')).toEqual([]);
    await listener.end();
  });

  it('continues after invalid requests', async () => {
    const { listener, topic, request } = await meet();
    for (const bad of ['', '{', 'null', '[]', '{"kind":"rpc_request"}', '\u0000', '['.repeat(50_000)])
      await listener.publish(topic('from_clients'), bad);
    await listener.publish(topic('from_clients'), Buffer.from([0xff, 0xfe, 0xfd]));
    for (const bad of ['', '{', '{"args":5}']) await listener.publish(topic('sync/Point/1'), bad);
    expect(await request('strange', { kind: 'dance', args: {} })).toEqual({
      kind: 'rpc_error',
      args: { label: 'strange' },
      body: [{ kind: 'explanation', args: { message: 'There is no step "dance".' } }],
    });
    expect(await request('good', { kind: 'read_status', args: {} })).toEqual({
      kind: 'rpc_ok',
      args: { label: 'good' },
    });
    await listener.end();
  });

  it('acknowledges changes and applies its settings', async () => {
    const { gardener, listener, on, answerTo } = await meet();
    await garden.http.send('PATCH', '/api/fbos_config', {
      token: gardener.token,
      headers: { 'x-farmbot-rpc-id': 'higher', 'content-type': 'application/json' },
      body: { safe_height: -12 },
    });
    expect(await answerTo('higher')).toEqual({ kind: 'rpc_ok', args: { label: 'higher' } });
    await listener.waitUntil(() => on('status').some(({ text }) => JSON.parse(text).configuration.safe_height === -12));
    await listener.end();
  });

  it('reads sensors, and reports to the server', async () => {
    const { gardener, listener, request } = await meet();
    const sensor = await garden.http.post('/api/sensors', { pin: 59, label: 'Soil', mode: 1 }, gardener.token);
    const pin_id = isObject(sensor.json) ? sensor.json.id : null;
    const pin_number = { kind: 'named_pin', args: { pin_type: 'Sensor', pin_id } };
    const read = { kind: 'read_pin', args: { pin_number, label: 'soil', pin_mode: 1 } };
    expect(await request('measure', read)).toMatchObject({ kind: 'rpc_ok' });
    const { json } = await garden.http.get('/api/sensor_readings', gardener.token);
    expect(json).toMatchObject([{ pin: 59, mode: 1, value: 450, x: 0, y: 0, z: 0 }]);
    const foreign = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: 999_999 } };
    expect(await request('foreign', { kind: 'toggle_pin', args: { pin_number: foreign } })).toMatchObject({
      body: [{ args: { message: 'There is no peripheral 999999 in this garden.' } }],
    });
    await listener.end();
  });

  it('limits the rate of status messages while it moves', async () => {
    const { listener, on, request } = await meet({ statusInterval: 100, speed: 500 });
    await listener.waitUntil(() => on('status').length > 0);
    const before = on('status').length;
    const began = performance.now();
    await request('far', { kind: 'move_relative', args: { x: 300, y: 0, z: 0, speed: 100 } });
    const most = Math.ceil((performance.now() - began) / 100) + 2;
    const during = on('status').length - before;
    expect(during).toBeGreaterThan(2);
    expect(during).toBeLessThanOrEqual(most);
    await listener.end();
  });

  it('reconnects after a restart, with a new token', async () => {
    const { listener, lines, request, on } = await meet();
    await request('restart', { kind: 'reboot', args: { package: 'farmbot_os' } });
    await listener.waitUntil(
      () => on('logs').filter(({ text }) => text.includes('is ready')).length === 2,
      'the return',
    );
    expect(lines.filter((line) => line.startsWith('Connected'))).toHaveLength(2);
    expect(await request('again', { kind: 'read_status', args: {} })).toMatchObject({ kind: 'rpc_ok' });
    await listener.end();
  });

  it('ends when it is switched off', async () => {
    const { listener, robot, request } = await meet();
    expect(await request('off', { kind: 'power_off', args: {} })).toMatchObject({ kind: 'rpc_ok' });
    expect(await robot.ended).toBe('The robot was powered off.');
    await listener.end();
  });

  it('deletes its credentials when the password was changed', async () => {
    const { gardener, listener, robot, lines } = await meet();
    const change = { password: gardener.password, new_password: 'another1', new_password_confirmation: 'another1' };
    expect((await garden.http.send('PATCH', '/api/users', { token: gardener.token, body: change })).status).toBe(200);
    expect(await robot.ended).toBe('The robot was reset to factory settings.');
    expect(lines.at(-1)).toContain('was reset');
    await listener.end();
  });

  it('signs in again when its token was deleted', async () => {
    const gardener = await garden.signUp();
    const { robot, lines } = await garden.robot(gardener);
    const listener = await listen(gardener);
    await garden.http.send('DELETE', '/api/tokens', { token: robot.token ?? '' });
    await waitUntil(() => lines.filter((line) => line.startsWith('Connected')).length === 2, 'the return');
    expect(lines).toContain('The broker rejected the token.');
    await listener.publish(`bot/${gardener.bot}/from_clients`, rpc('hello', { kind: 'read_status', args: {} }));
    await listener.waitUntil((received) =>
      received.some(({ text }) => text.includes('"hello"') && text.includes('rpc_ok')),
    );
    await listener.end();
  });

  it('exits when the token that it was started with is deleted', async () => {
    const gardener = await garden.signUp();
    const { robot } = await garden.robot(gardener, { credentials: { token: gardener.token } });
    await garden.http.send('DELETE', '/api/tokens', { token: gardener.token });
    expect(await robot.ended).toMatch(/^The server rejects its credentials: /);
  });

  it('reaches the broker through its WebSocket', async () => {
    const gardener = await garden.signUp();
    const { lines } = await garden.robot(gardener, { webSocket: true });
    expect(lines).toContain(`Connected as ${gardener.bot}.`);
  });

  it('does not start with a wrong password, nor without a server', async () => {
    const { email } = await garden.signUp();
    const wrong = { email, password: 'wrong-one', token: '', bot: '', deviceId: 0 };
    await expect(garden.robot(wrong)).rejects.toThrow('Bad email or password.');
    await expect(garden.robot(wrong, { server: `http://127.0.0.22:${await freePort()}` })).rejects.toThrow(
      'is unreachable (ECONNREFUSED)',
    );
  });
});

describe('the command', () => {
  const run = async (words: readonly string[], printed: string[] = []): Promise<string[]> => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addRobotCommand(program, { askPassword: async () => 'password123', print: (line) => printed.push(line) });
    await program.parseAsync(['node', 'potager', 'robot', ...words]);
    return printed;
  };

  it('runs a robot until it ends, and asks for the password', async () => {
    const gardener = await garden.signUp();
    const printed: string[] = [];
    const running = run(['--server', `${garden.base}/`, '--email', gardener.email], printed);
    await waitUntil(() => printed.some((line) => line.endsWith('The virtual robot is ready.')), 'the robot');
    const listener = await listen(gardener);
    await listener.publish(`bot/${gardener.bot}/from_clients`, rpc('off', { kind: 'power_off', args: {} }));
    await running;
    expect(printed.at(-1)).toBe('The robot was powered off.');
    expect(printed.join('\n')).not.toContain(gardener.token);
    await listener.end();
  });

  it('reports invalid options', async () => {
    await expect(run([])).rejects.toThrow('Specify the account of the robot: --email or --token.');
    await expect(run(['--token', 'nonsense', '--server', garden.base])).rejects.toThrow(
      'This is not a valid token for a robot.',
    );
    await expect(run(['--server', 'localhost', '--email', 'a@b.c'])).rejects.toThrow('must begin with http://');
    await expect(run(['--mqtt-port', '0', '--email', 'a@b.c'])).rejects.toThrow('from 1 to 65535');
    await expect(run(['--server', garden.base, '--email', 'nobody@example.com'])).rejects.toThrow(
      'Bad email or password.',
    );
  });
});
