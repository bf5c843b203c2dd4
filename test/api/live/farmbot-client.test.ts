import { type BotStateTree, Farmbot } from 'farmbot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteAccount } from '../../support/app.ts';
import { suiteRobotServer, waitUntil } from '../../support/robot-server.ts';

// The published JavaScript client with a virtual robot. The client always connects to port 1883.

const slow = 500;

describe('the JavaScript client', () => {
  const garden = suiteRobotServer('sqlite', '127.0.0.21');
  const gardener = suiteAccount(garden);
  let bot: Farmbot;
  let states: BotStateTree[] = [];

  beforeAll(async () => {
    await garden.robot(gardener, { speed: slow });
    bot = new Farmbot({ token: gardener.token });
    bot.on('status', (state: BotStateTree) => states.push(state));
    await bot.connect();
  });

  afterAll(async () => {
    await bot.client?.endAsync(true);
  });

  const place = () => states.at(-1)?.location_data.position;

  it('finds the broker through its token', () => {
    expect(bot.getConfig('mqttServer')).toBe(garden.mqtt);
    expect(bot.client?.connected).toBe(true);
  });

  it('pings the robot', async () => {
    // Rejects when the robot does not respond.
    expect(await bot.ping()).toEqual(expect.any(Number));
  });

  it('reads the status', async () => {
    states = [];
    expect(await bot.readStatus()).toMatchObject({ kind: 'rpc_ok' });
    await waitUntil(() => states.length > 0, 'the status');
    const [state] = states;
    expect(Object.keys(state ?? {}).sort()).toEqual([
      'configuration',
      'informational_settings',
      'jobs',
      'location_data',
      'mcu_params',
      'pins',
      'process_info',
      // An addition, which the client passes on.
      'running',
      'user_env',
    ]);
    expect(state?.location_data.position).toEqual({ x: 0, y: 0, z: 0 });
    expect(state?.informational_settings).toMatchObject({
      sync_status: 'synced',
      locked: false,
      busy: false,
      controller_version: '15.5.3',
      target: 'rpi3',
    });
    // The settings are the account's.
    expect(state?.configuration).toMatchObject({ sequence_init_log: false, safe_height: 0 });
    expect(state?.mcu_params).toMatchObject({ movement_step_per_mm_x: 5 });
  });

  it('moves the robot, and logs it', async () => {
    states = [];
    expect(await bot.moveAbsolute({ x: 100, y: 50, z: -20 })).toMatchObject({ kind: 'rpc_ok' });
    await waitUntil(() => place()?.x === 100, 'the place');
    expect(place()).toEqual({ x: 100, y: 50, z: -20 });
    const between = states.filter(
      ({ location_data: { position } }) => (position.x ?? 0) > 0 && (position.x ?? 0) < 100,
    );
    expect(between.length).toBeGreaterThan(0);
    expect(between.every((state) => state.informational_settings.busy)).toBe(true);
    await bot.moveRelative({ x: -50, y: 0, z: 0 });

    let logs: { message: string }[] = [];
    await waitUntil(async () => {
      const response = await garden.http.get('/api/logs', gardener.token);
      logs = response.json as unknown[] as typeof logs;
      return logs.some(({ message }) => message === 'Moved to (50, 50, -20).');
    }, 'the log');
    expect(logs.find(({ message }) => message === 'Moved to (100, 50, -20).')).toMatchObject({
      type: 'info',
      x: 100,
      y: 50,
      z: -20,
      major_version: 15,
      minor_version: 5,
      patch_version: 3,
      channels: [],
      verbosity: 2,
    });
  });

  it('sends messages, and receives them like the robot', async () => {
    const received: { message?: string; channels?: string[] }[] = [];
    bot.on('logs', (log: { message?: string }) => received.push(log));
    bot.sendMessage('warn', 'The beans are dry.', ['toast']);
    await waitUntil(() => received.some(({ message }) => message === 'The beans are dry.'), 'the message');
    expect(received.find(({ message }) => message === 'The beans are dry.')).toMatchObject({ channels: ['toast'] });
  });

  it('writes pins and variables, which appear in the status', async () => {
    await bot.writePin({ pin_number: 7, pin_value: 1, pin_mode: 0 });
    await bot.setUserEnv({ camera: 'NONE' });
    await waitUntil(() => states.at(-1)?.user_env.camera === 'NONE', 'the variable');
    expect(states.at(-1)?.pins).toEqual({ '7': { mode: 0, value: 1 } });
    const response = await garden.http.get('/api/farmware_envs', gardener.token);
    expect(response.json).toMatchObject([{ key: 'camera', value: 'NONE' }]);
  });

  it('receives changes made over HTTP, which the robot acknowledges', async () => {
    const changes: { args: { label: string }; body: { name?: string } | null }[] = [];
    const confirmed: string[] = [];
    bot.on('sync', (change: (typeof changes)[number]) => changes.push(change));
    bot.on('my-label', ({ kind }: { kind: string }) => confirmed.push(kind));
    const headers = { 'x-farmbot-rpc-id': 'my-label', 'content-type': 'application/json' };
    await garden.http.send('POST', '/api/tools', { token: gardener.token, headers, body: { name: 'Hoe' } });
    const own = () => changes.filter(({ args }) => args.label === 'my-label');
    await waitUntil(() => own().length > 0 && confirmed.length > 0, 'the change');
    expect(own()).toMatchObject([{ body: { name: 'Hoe' } }]);
    expect(confirmed).toEqual(['rpc_ok']);
  });

  it('stops the robot in an emergency', async () => {
    states = [];
    const movement = bot.moveAbsolute({ x: 10_000, y: 0, z: 0 });
    const outcome = movement.then(
      () => 'moved',
      (error: Error) => error.message,
    );
    await waitUntil(() => (place()?.x ?? 0) > 60, 'the movement');
    expect(await bot.emergencyLock()).toMatchObject({ kind: 'rpc_ok' });
    expect(await outcome).toBe('The emergency stop was pressed.');
    await bot.readStatus();
    await waitUntil(() => states.at(-1)?.informational_settings.locked === true, 'the lock');
    const stopped = place()?.x ?? 0;
    expect(stopped).toBeGreaterThan(60);
    expect(stopped).toBeLessThan(9_000);
    await expect(bot.moveRelative({ x: 1, y: 0, z: 0 })).rejects.toThrow('The robot is locked: unlock it first.');
    expect(place()?.x).toBe(stopped);
    await bot.emergencyUnlock();
    expect(await bot.moveRelative({ x: 1, y: 0, z: 0 })).toMatchObject({ kind: 'rpc_ok' });
  });

  it('takes photos and runs Lua', async () => {
    expect(await bot.takePhoto()).toMatchObject({ kind: 'rpc_ok' });
    const { json } = await garden.http.get('/api/images', gardener.token);
    expect(json).toMatchObject([{ meta: { name: expect.stringMatching(/^\/tmp\/images\/\d+$/) } }]);
    expect(await bot.lua('toast("Hello")')).toMatchObject({ kind: 'rpc_ok' });
  });

  it('receives the reason why a step was rejected', async () => {
    await expect(bot.lua('uproot()')).rejects.toThrow("Lua, line 1: attempt to call a nil value (global 'uproot')");
  });

  describe('with locations in the garden', () => {
    it('moves to a tool in its slot', async () => {
      const tool = (await garden.http.post('/api/tools', { name: 'Weeder' }, gardener.token)).json as { id: number };
      const slot = { pointer_type: 'ToolSlot', name: 'Slot', x: 30, y: 40, z: -50, tool_id: tool.id };
      expect((await garden.http.post('/api/points', slot, gardener.token)).status).toBe(200);
      const nowhere = { kind: 'coordinate' as const, args: { x: 0, y: 0, z: 5 } };
      await bot.send({
        kind: 'rpc_request',
        args: { label: 'to the tool', priority: 600 },
        body: [
          {
            kind: 'move_absolute',
            args: { location: { kind: 'tool', args: { tool_id: tool.id } }, offset: nowhere, speed: 100 },
          },
        ],
      });
      await waitUntil(() => place()?.x === 30, 'the place');
      expect(place()).toEqual({ x: 30, y: 40, z: -45 });
    });
  });
});
