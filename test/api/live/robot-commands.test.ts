import { describe, expect, it } from 'vitest';
import { startApp } from '../../support/app.ts';
import { at, type Json, numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { type RobotAccount, suiteRobotServer, waitUntil } from '../../support/robot-server.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';

const move = (x: number) => ({ kind: 'move_relative', args: { x, y: 0, z: 0, speed: 100 } });

describe('commands over HTTP', () => {
  const garden = suiteRobotServer('sqlite', '127.0.0.28');

  const robotOf = async ({ token }: RobotAccount): Promise<Json> => (await garden.http.get('/api/robot', token)).json;

  // More at a time, and for longer, than the client of other tests.
  const post = ({ token }: RobotAccount, path: string, body: unknown): Promise<Response> =>
    fetch(`${garden.base}${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  async function command(gardener: RobotAccount, program: unknown, wait?: number): Promise<Json> {
    const response = await post(gardener, '/api/commands', { program, ...(wait !== undefined && { wait }) });
    expect(response.status).toBe(200);
    return response.json() as Promise<Json>;
  }

  async function failure(gardener: RobotAccount, body: unknown): Promise<Json> {
    const response = await post(gardener, '/api/commands', body);
    expect(response.status).toBe(422);
    return response.json() as Promise<Json>;
  }

  async function scripted(options: { clientId?: (bot: string) => string } = {}) {
    const gardener = await garden.signUp();
    const robot = await ScriptedRobot.connect(garden.mqtt, gardener, options.clientId?.(gardener.bot));
    return { gardener, robot };
  }

  it('are run by a virtual robot, whose status is shown', async () => {
    const gardener = await garden.signUp();
    expect(await robotOf(gardener)).toEqual({ connected: false, connected_since: null, status: null });
    expect(await command(gardener, move(1))).toEqual({ status: 'offline', explanation: 'No robot is connected.' });
    const { robot } = await garden.robot(gardener);
    expect(await command(gardener, move(120))).toEqual({ status: 'ok', explanation: null });
    expect(robot.position.x).toBe(120);
    await waitUntil(async () => {
      const { status } = (await robotOf(gardener)) as { status: { position: { x: number }; busy: boolean } | null };
      return status?.position.x === 120 && !status.busy;
    }, 'the position');
    expect(await robotOf(gardener)).toEqual({
      connected: true,
      connected_since: expect.stringMatching(/^20.*Z$/),
      status: {
        received_at: expect.stringMatching(/^20.*Z$/),
        position: { x: 120, y: 0, z: 0 },
        busy: false,
        locked: false,
        sync_status: 'synced',
        pins: {},
        controller_version: '15.5.3',
        firmware_version: '6.6.20.R.virtual',
        update_available: false,
        target: 'rpi3',
        soc_temp: 42,
        wifi_level_percent: 80,
        uptime: expect.any(Number),
        running: [],
        jobs: {},
      },
    });
    const pin = { kind: 'write_pin', args: { pin_number: 8, pin_mode: 0, pin_value: 1 } };
    expect(await command(gardener, { kind: 'rpc_request', args: {}, body: [pin, move(-20)] })).toMatchObject({
      status: 'ok',
    });
    await waitUntil(async () => {
      const { status } = (await robotOf(gardener)) as { status: { pins: Record<string, object> } };
      return JSON.stringify(status.pins) === '{"8":{"mode":0,"value":1}}';
    }, 'the pin');
    await waitUntil(async () => at(await robotOf(gardener), 'status.position.x') === 100, 'the position');
    await robot.stop();
    await waitUntil(async () => ((await robotOf(gardener)) as { connected: boolean }).connected === false, 'the end');
    // The last status stays.
    expect(await robotOf(gardener)).toMatchObject({ connected_since: null, status: { position: { x: 100 } } });
  });

  it('run sequences with parameters', async () => {
    const gardener = await garden.signUp();
    const { robot } = await garden.robot(gardener);
    const parameter = (label: string, default_value: object) => ({
      kind: 'parameter_declaration',
      args: { label, default_value },
    });
    const locals = {
      kind: 'scope_declaration',
      args: {},
      body: [
        parameter('Where', { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } }),
        parameter('Depth', { kind: 'numeric', args: { number: 1 } }),
      ],
    };
    const lua = 'move{x = variable("Where").x, y = 5, z = -variable("Depth")}';
    const body = { name: 'Go', args: { locals }, body: [{ kind: 'lua', args: { lua } }] };
    const { json } = await garden.http.post('/api/sequences', body as Json, gardener.token);
    const parameters = { Where: { kind: 'coordinate', args: { x: 30, y: 0, z: 0 } }, Depth: 12 };
    expect(await command(gardener, { sequence_id: numberAt(json, 'id'), parameters })).toEqual({
      status: 'ok',
      explanation: null,
    });
    expect(robot.position).toEqual({ x: 30, y: 5, z: -12 });
  });

  it('show the running steps of a virtual robot’s stored sequences', async () => {
    const gardener = await garden.signUp();
    const { robot } = await garden.robot(gardener);
    const store = async (name: string, body: object[]): Promise<number> =>
      numberAt((await garden.http.post('/api/sequences', { name, args: {}, body } as Json, gardener.token)).json, 'id');
    const wait = { kind: 'wait', args: { milliseconds: 180_000 } };
    const inner = await store('Inner', [wait]);
    const outer = await store('Outer', [move(1), { kind: 'execute', args: { sequence_id: inner } }, move(2)]);
    const running = async (): Promise<unknown> => at(await robotOf(gardener), 'status.running');
    const run = command(gardener, { sequence_id: outer });
    await expect.poll(running).toEqual([
      { sequence_id: outer, step: 2, steps: 3 },
      { sequence_id: inner, step: 1, steps: 1 },
    ]);
    await garden.http.post('/api/robot/emergency_stop', {}, gardener.token);
    expect(await run).toMatchObject({ status: 'error' });
    await expect.poll(running).toEqual([]);
    await robot.stop();
  });

  it('stop and unlock the robot immediately', async () => {
    const gardener = await garden.signUp();
    const { robot } = await garden.robot(gardener, { speed: 10 });
    const emergency = async (path: string): Promise<Json> =>
      (await garden.http.post(`/api/robot/${path}`, {}, gardener.token)).json;
    const moving = command(gardener, move(10_000));
    await waitUntil(() => robot.position.x > 0, 'the movement');
    expect(await emergency('emergency_stop')).toEqual({ status: 'ok', explanation: null });
    expect(await moving).toEqual({ status: 'error', explanation: 'The emergency stop was pressed.' });
    expect(await command(gardener, move(1))).toEqual({
      status: 'error',
      explanation: 'The robot is locked: unlock it first.',
    });
    expect(await emergency('unlock')).toEqual({ status: 'ok', explanation: null });
    expect(await command(gardener, move(1))).toMatchObject({ status: 'ok' });
    await robot.stop();
    await waitUntil(async () => ((await robotOf(gardener)) as { connected: boolean }).connected === false, 'the end');
    expect(await emergency('emergency_stop')).toEqual({ status: 'offline', explanation: 'No robot is connected.' });
  });

  it('report the response of the robot, whatever else is published', async () => {
    const { gardener, robot } = await scripted();
    const sent = command(gardener, move(7), 60);
    const { label, body } = await robot.request();
    expect(body).toEqual([move(7)]);
    for (const noise of ['', '{', 'null', '{"args":7}', '{"kind":"rpc_ok","args":{"label":"another"}}'])
      await robot.publish('from_device', noise);
    await robot.publish('from_device', { kind: 'sync', args: { label } });
    await robot.publish('from_device', { kind: 'rpc_error', args: { label } });
    expect(await sent).toEqual({
      status: 'error',
      explanation: 'The robot reported an error without an explanation.',
    });
    await robot.publish('status', 'no JSON');
    await robot.publish('status', {
      location_data: { position: { x: 'far', y: 2 } },
      informational_settings: { busy: 'yes', controller_version: 'v'.repeat(500), locked: true },
      pins: { 13: { mode: 1, value: 300 }, __proto__: 1, odd: { mode: 1 }, 14: 'on' },
      running: [{ sequence_id: 1, step: 3, steps: 2 }],
      jobs: {
        Upload: { unit: 'bytes', bytes: 7, status: 'working' },
        Update: { unit: 'percent', percent: 50 },
        odd: 1,
      },
    });
    await waitUntil(async () => at(await robotOf(gardener), 'status.locked') === true, 'the status');
    expect(await robotOf(gardener)).toMatchObject({
      status: {
        position: { x: null, y: 2, z: null },
        busy: null,
        locked: true,
        pins: { 13: { mode: 1, value: 300 } },
        controller_version: 'v'.repeat(100),
        soc_temp: null,
        running: null,
        jobs: { Upload: { status: 'working', percent: null }, Update: { status: null, percent: 50 } },
      },
    });
    await robot.end();
  });

  it('time out, and are limited for each device, unlike the emergency stop', async () => {
    const { gardener, robot } = await scripted();
    expect(await command(gardener, move(1), 1)).toEqual({
      status: 'timeout',
      explanation: 'The robot has not responded within 1 s.',
    });
    const other = await scripted();
    const waiting = Array.from({ length: 10 }, () => command(gardener, move(2), 120));
    await robot.request(11);
    expect(await failure(gardener, { program: move(3) })).toEqual({
      error: expect.stringContaining('Too many commands are waiting'),
    });
    const stop = post(gardener, '/api/robot/emergency_stop', {});
    const { label, body } = await robot.request(12);
    expect(body).toEqual([{ kind: 'emergency_lock', args: {} }]);
    await robot.publish('from_device', { kind: 'rpc_ok', args: { label } });
    expect(await (await stop).json()).toEqual({ status: 'ok', explanation: null });
    const otherCommand = command(other.gardener, move(4));
    const { label: otherLabel } = await other.robot.request();
    // A response on another device's channel counts for nothing.
    await robot.publish('from_device', { kind: 'rpc_ok', args: { label: otherLabel } });
    await other.robot.publish('from_device', { kind: 'rpc_error', args: { label: otherLabel } });
    expect(await otherCommand).toMatchObject({ status: 'error' });
    for (const { label: each } of robot.requests().slice(1, 11))
      await robot.publish('from_device', { kind: 'rpc_ok', args: { label: each } });
    for (const each of waiting) expect(await each).toEqual({ status: 'ok', explanation: null });
    await robot.end();
    await other.robot.end();
  });

  it('send every emergency stop, and wait for the responses to ten', async () => {
    const { gardener, robot } = await scripted();
    const press = async (): Promise<unknown> => (await post(gardener, '/api/robot/emergency_stop', {})).json();
    const waiting = Array.from({ length: 10 }, press);
    await robot.request(10);
    // Responds while the others still wait.
    expect(await press()).toMatchObject({ status: 'timeout' });
    for (const { label } of robot.requests()) await robot.publish('from_device', { kind: 'rpc_ok', args: { label } });
    for (const each of waiting) expect(await each).toEqual({ status: 'ok', explanation: null });
    expect(robot.requests()).toHaveLength(11);
    await robot.end();
  });

  it('reject invalid programs and records of other gardens, and send nothing', async () => {
    const { gardener, robot } = await scripted();
    const other = await garden.signUp();
    const { json } = await garden.http.post('/api/sequences', { name: 'Foreign', body: [] }, other.token);
    const sequence_id = numberAt(json, 'id');
    expect(await failure(gardener, { program: { sequence_id } })).toEqual({
      program: expect.stringContaining(`Step 1: `),
    });
    const nested = { kind: 'execute', args: { sequence_id } };
    const nothing = { kind: 'nothing', args: {} };
    const branch = { kind: '_if', args: { lhs: 'x', op: 'is', rhs: 1, _then: nested, _else: nothing } };
    const programs = [
      nested,
      branch,
      { kind: 'dance', args: {} },
      { kind: 'wait', args: {} },
      { kind: 'sequence', args: {} },
      { kind: 'change_ownership', args: {} },
      { kind: 'rpc_request', args: {}, body: [] },
      { kind: 'rpc_request', args: {}, body: [7] },
      { kind: 7 },
      { sequence_id: 'x' },
      { sequence_id: 1.5 },
      { sequence_id, parameters: [] },
      { kind: 'rpc_request', args: {}, body: Array(2000).fill({ kind: 'wait', args: { milliseconds: 10_000 } }) },
      {},
      [],
      null,
      'wait',
    ];
    for (const program of programs)
      expect(Object.keys((await failure(gardener, { program })) as object), JSON.stringify(program)).toEqual([
        'program',
      ]);
    for (const wait of [0, 121, 1.5, -1, 'long', {}, true])
      expect(await failure(gardener, { program: move(1), wait })).toEqual({ wait: expect.any(String) });
    expect(await failure(gardener, { wait: 500 })).toEqual({
      program: expect.any(String),
      wait: expect.any(String),
    });
    const last = command(gardener, move(5), 1);
    expect((await robot.request()).body).toEqual([move(5)]);
    await last;
    expect(robot.requests()).toHaveLength(1);
    for (const [method, path] of [
      ['GET', '/api/robot'],
      ['POST', '/api/commands'],
      ['POST', '/api/robot/unlock'],
      ['POST', '/api/robot/emergency_stop'],
    ] as const)
      expect((await garden.http.send(method, path, method === 'GET' ? {} : { body: {} })).status).toBe(401);
    await robot.end();
  });

  it('flash the board of the garden, by its name', async () => {
    const { gardener, robot } = await scripted();
    const flash = { kind: 'flash_firmware', args: { package: 'arduino_firmware' } };
    expect(await failure(gardener, { program: flash })).toEqual({ program: 'Choose the board of the robot first.' });
    await garden.http.send('PATCH', '/api/fbos_config', {
      token: gardener.token,
      body: { firmware_hardware: 'farmduino_k17' },
    });
    const reboot = { kind: 'reboot', args: { package: 'arduino_firmware' } };
    const answer = command(gardener, { kind: 'rpc_request', args: { label: 'x' }, body: [flash, reboot] });
    const { label, body } = await robot.request();
    expect(body).toEqual([{ ...flash, args: { package: 'farmduino_k17' } }, reboot]);
    await robot.publish('from_device', { kind: 'rpc_ok', args: { label } });
    expect(await answer).toEqual({ status: 'ok', explanation: null });
    await robot.end();
  });

  it('tell robots from other clients by their client id or session', async () => {
    const gardener = await garden.signUp();
    const { email, password } = gardener;
    const signInAs = async (agent: string): Promise<string> => {
      const headers = { 'user-agent': agent, 'content-type': 'application/json' };
      const reply = await garden.http.send('POST', '/api/tokens', { headers, body: { user: { email, password } } });
      return textAt(reply.json, 'token.encoded');
    };
    const token = await signInAs('Browser');
    const browser = await MqttTestClient.connect(garden.mqtt, { username: gardener.bot, password: token });
    expect(await robotOf(gardener)).toMatchObject({ connected: false });
    // The session of a robot, with a client id of its own.
    const robotToken = await signInAs('FarmbotOS/15.4.11 (rpi3) rpi3 ()');
    const robot = await ScriptedRobot.connect(garden.mqtt, { bot: gardener.bot, token: robotToken }, 'another');
    expect(await robotOf(gardener)).toMatchObject({ connected: true });
    await robot.end();
    await waitUntil(async () => ((await robotOf(gardener)) as { connected: boolean }).connected === false, 'the end');
    // The session of a person, with a robot's client id.
    const second = await ScriptedRobot.connect(garden.mqtt, { bot: gardener.bot, token });
    expect(await robotOf(gardener)).toMatchObject({ connected: true });
    await second.end();
    await browser.end();
  });
});

it('an emergency stop passes the rate limits', async () => {
  // All requests are in one window, however slow the machine is.
  const now = Date.now();
  const server = await startApp('sqlite', { RATE_LIMITS: 'on' }, { now: () => now });
  const { token } = await server.signUp();
  const from = '192.0.2.7';
  const statuses = new Set<number>();
  for (let i = 0; i <= 1000; i++) statuses.add((await server.call('GET', '/api/robot', { token, from })).status);
  expect([...statuses]).toEqual([200, 429]);
  expect((await server.call('POST', '/api/commands', { token, from, body: {} })).status).toBe(429);
  for (const path of ['emergency_stop', 'unlock'])
    expect(await server.call('POST', `/api/robot/${path}`, { token, from })).toMatchObject({
      status: 200,
      json: { status: 'offline' },
    });
  await server.close();
});

it('a stop of the server ends the wait', async () => {
  const server = await startApp('sqlite', { HOST: '127.0.0.29', PORT: '0', MQTT_PORT: '1883' });
  const { address } = await server.app.listen();
  const { token, deviceId } = await server.signUp();
  const bot = `device_${deviceId}`;
  const robot = await ScriptedRobot.connect('mqtt://127.0.0.29:1883', { bot, token });
  const response = fetch(`${address}/api/commands`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ program: move(1), wait: 120 }),
  });
  await robot.request();
  await server.close();
  expect(await (await response).json()).toEqual({ status: 'timeout', explanation: 'The server is stopping.' });
});
