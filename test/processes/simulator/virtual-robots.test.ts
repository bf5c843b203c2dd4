import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { systemClock, timestamp } from '../../../src/core/clock.ts';
import { virtualRobots } from '../../../src/simulator/virtual-robot-rows.ts';
import { signUp } from '../../support/accounts.ts';
import { type Account, password, startApp, type TestApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { waitUntil } from '../../support/robot-server.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';
import { anyPort, startServer } from '../../support/servers.ts';

const stopped = {
  running: false,
  connected: false,
  started_at: null,
  ended_at: null,
  ended_because: null,
  position: { x: 0, y: 0, z: 0 },
};

/** A server that listens, with a clock that can be moved. */
async function open(host: string, environment: Record<string, string> = {}) {
  const clock = { offset: 0, now: () => systemClock.now() + clock.offset };
  const server = await startApp('sqlite', { HOST: host, PORT: '0', MQTT_PORT: '1883', ...environment }, clock);
  onTestFinished(() => server.close());
  await server.app.listen();
  const requests = (token: string) => ({
    put: (running: unknown) => server.call('PUT', '/api/virtual_robot', { token, body: { running } }),
    state: async () => (await server.call('GET', '/api/virtual_robot', { token })).json,
    command: async (...body: object[]) => {
      const program = { kind: 'rpc_request', args: {}, body };
      return (await server.call('POST', '/api/commands', { token, body: { program, wait: 60 } })).json;
    },
  });
  return { ...server, clock, requests };
}

const lua = (text: string) => ({ kind: 'lua', args: { lua: text } });
const ok = { status: 'ok', explanation: null };

/** Makes an account one of the demo accounts. */
const makeGuest = ({ app }: TestApp, { deviceId }: Account) =>
  app
    .server()
    .device(deviceId)
    .update(users, { email: `guest_${deviceId}@farmbot.guest` }, {});

describe('a virtual robot in the server', () => {
  it('waters a plant, takes a photo, and measures the soil, without hardware', async () => {
    const elsewhere = createServer((_request, response) => response.end('sunny'));
    onTestFinished(() => void elsewhere.close());
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const weather = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const server = await open('127.0.0.30', { FETCH_ALLOW: '127.0.0.1/32' });
    const gardener = await server.signUp();
    const { put, state, command } = server.requests(gardener.token);
    const { token } = gardener;
    expect(await state()).toEqual(stopped);
    expect(await put(true)).toMatchObject({
      status: 200,
      json: { running: true, connected: true, ended_because: null },
    });
    const plant = { pointer_type: 'Plant', name: 'Tomato', x: 400, y: 300, z: 0 };
    const { json } = await server.call('POST', '/api/points', { token, body: plant });
    await server.call('POST', '/api/sensors', { token, body: { pin: 59, label: 'Soil', mode: 1 } });
    const pin = (pin_value: number) => ({ kind: 'write_pin', args: { pin_number: 8, pin_mode: 0, pin_value } });
    const there = { kind: 'point', args: { pointer_type: 'Plant', pointer_id: json.id } };
    const offset = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
    const watered = {
      kind: 'update_resource',
      args: { resource: { kind: 'resource', args: { resource_type: 'Plant', resource_id: json.id } } },
      body: [{ kind: 'pair', args: { label: 'plant_stage', value: 'planted' } }],
    };
    expect(
      await command(
        { kind: 'move_absolute', args: { location: there, speed: 100, offset } },
        pin(1),
        { kind: 'wait', args: { milliseconds: 10 } },
        pin(0),
        watered,
        { kind: 'take_photo', args: {} },
        { kind: 'read_pin', args: { pin_number: 59, pin_mode: 1, label: '---' } },
        { kind: 'execute_script', args: { label: 'Measure Soil Height' } },
      ),
    ).toEqual(ok);
    expect((await server.call('GET', `/api/points/${json.id}`, { token })).json.plant_stage).toBe('planted');
    const { json: readings } = await server.call('GET', '/api/sensor_readings', { token });
    // The field around (400, 300): 450 + 120 sin(400/350) + 90 sin(300/280), at 0.7 to 1.3 of the contrast.
    expect(readings).toMatchObject([{ pin: 59, x: 400, y: 300 }]);
    expect(readings[0].value).toBeGreaterThanOrEqual(580);
    expect(readings[0].value).toBeLessThanOrEqual(695);
    const { json: points } = await server.call('GET', '/api/points', { token });
    expect(points.find(({ name }: { name: string }) => name === 'Soil Height')).toMatchObject({ x: 400, y: 300 });
    await waitUntil(async () => {
      await server.app.runJobs();
      const { json: images } = await server.call('GET', '/api/images', { token });
      return images.length === 1 && images[0].attachment_processed_at !== null;
    }, 'the photo');
    // Scripts reach the account with the robot's own session, and others through the guarded fetch.
    const script = `
      assert(api{ url = "/api/tools" } ~= nil)
      assert(http{ url = "${weather}" }.body == "sunny")
      assert(http{ url = "http://10.0.0.1/" } == nil)
      update_device{ name = auth_token() }`;
    expect(await command(lua(script))).toEqual(ok);
    const own = (await server.call('GET', '/api/device', { token })).json.name;
    expect(own).not.toBe(token);
    expect((await server.call('GET', '/api/device', { token: own })).status).toBe(200);
    // They are no program on this machine, and reach without a token only public reads.
    const people = `
      assert(api{ url = "/api/global_config" } ~= nil)
      assert(api{ url = "/api/corpus" } ~= nil)
      assert(api{ url = "/api/crops" } ~= nil)
      assert(api{ method = "post", url = "/api/tokens", body = { user = { email = "${gardener.email}", password = "${password}" } } } == nil)
      assert(api{ method = "post", url = "/api/rmq/vhost", body = { username = "admin", vhost = "/" } } == nil)`;
    expect(await command(lua(people))).toEqual(ok);
    const messages = async () =>
      (await server.call('GET', '/api/logs', { token })).json.map(({ message }: { message: string }) => message);
    for (const path of ['/api/tokens', '/api/rmq/vhost'])
      await expect.poll(messages).toContain(`POST ${path}: A virtual robot cannot do this.`);
    // Addresses in FETCH_ALLOW are open to gardens of administrators only; the first account is one.
    const other = await server.signUp();
    const others = server.requests(other.token);
    expect(await others.put(true)).toMatchObject({ status: 200, json: { connected: true } });
    expect(await others.command(lua(`assert(http{ url = "${weather}" } == nil)`))).toEqual(ok);
    await others.put(false);
    // A script that computes for too long ends, here after half a second, and the server continues.
    await command(lua('local found = ("a"):rep(40):find(("a*"):rep(20) .. "b")\n'));
    const reason = "A function of Lua's library, or a finalizer, may compute for at most 0.5 s.";
    await expect.poll(messages).toContain(reason);
    expect(await put(false)).toMatchObject({ status: 200, json: { running: false, connected: false } });
    expect((await state()).position).toMatchObject({ x: 400, y: 300 });
    expect((await server.call('GET', '/api/robot', { token })).json.connected).toBe(false);
    // Its session has ended.
    expect((await server.call('GET', '/api/device', { token: own })).status).toBe(401);
  });

  it('has the rights of a gardener in its garden, also where an owner started it, and no others', async () => {
    const server = await open('127.0.0.30');
    const { token } = await server.signUp();
    const { put, command } = server.requests(token);
    expect(await put(true)).toMatchObject({ status: 200, json: { connected: true } });
    expect(await command(lua('update_device{ name = auth_token() }'))).toEqual(ok);
    const own = (await server.call('GET', '/api/device', { token })).json.name;
    const send = (method: string, path: string, body?: object) =>
      server.call(method, path, { token: own, ...(body && { body }) });
    for (const [method, path, body] of [
      ['GET', '/api/members'],
      ['GET', '/api/invitations'],
      ['GET', '/api/sessions'],
      ['GET', '/api/webhooks'],
      ['GET', '/api/personal_tokens'],
      ['GET', '/api/gardens'],
      ['GET', '/api/users'],
      ['PATCH', '/api/users', { name: 'Eve' }],
      ['DELETE', '/api/users', { password }],
      ['POST', '/api/device/reset', { password }],
      ['DELETE', '/api/device'],
      ['POST', '/api/export_data'],
      ['GET', '/api/tokens'],
      ['POST', '/api/tokens/temporary'],
      ['POST', '/api/calendar_feed'],
      ['PUT', '/api/virtual_robot', { running: false }],
      ['POST', '/api/webhooks', { url: 'https://example.com/', password }],
      ['POST', '/api/history/revert', { since: '2026-01-01T00:00:00.000Z' }],
      ['GET', '/api/admin/server'],
    ] as const)
      expect([method, path, (await send(method, path, body)).status]).toEqual([method, path, 403]);
    expect((await send('GET', '/api/sessions')).json.error).toBe(
      'The session of a robot cannot do this. Sign in with your password.',
    );
    const made = await send('POST', '/api/tools', { name: 'Hoe' });
    expect(made.status).toBe(200);
    expect((await send('DELETE', `/api/tools/${made.json.id}`)).status).toBe(200);
  });

  it.each(['https://garden.example', 'http://garden.example', 'http://garden.example:3000'])(
    'uploads photos to this process, whatever its public address: %s',
    async (PUBLIC_URL) => {
      const server = await open('127.0.0.30', { PUBLIC_URL });
      const { token } = await server.signUp();
      const { put, command } = server.requests(token);
      expect(await put(true)).toMatchObject({ status: 200, json: { connected: true } });
      expect(await command({ kind: 'take_photo', args: {} })).toEqual(ok);
      expect((await server.call('GET', '/api/images', { token })).json).toHaveLength(1);
    },
  );

  it('is not started twice, beyond the limits, beside a real robot, or by invalid requests', async () => {
    const server = await open('127.0.0.31', { VIRTUAL_ROBOTS: '3' });
    const mqtt = 'mqtt://127.0.0.31:1883';
    const accounts = await Promise.all([1, 2, 3, 4].map(() => server.signUp()));
    const [ada, bob, cai, dee] = accounts as [Account, Account, Account, Account];
    for (const running of [undefined, null, {}, []])
      expect(await server.requests(ada.token).put(running)).toMatchObject({
        status: 422,
        json: { running: expect.any(String) },
      });
    expect((await server.call('PUT', '/api/virtual_robot', { body: { running: true } })).status).toBe(401);
    expect(await server.requests(ada.token).state()).toEqual(stopped);

    const real = await ScriptedRobot.connect(mqtt, { bot: `device_${ada.deviceId}`, token: ada.token });
    expect(await server.requests(ada.token).put(true)).toMatchObject({
      status: 409,
      json: { error: 'A real robot is connected. Disconnect it first.' },
    });
    await real.end();
    await waitUntil(async () => (await server.requests(ada.token).put(true)).status === 200, 'the start');
    const first = await server.requests(ada.token).state();
    expect(first).toMatchObject({ running: true, connected: true });
    // Idempotent.
    expect((await server.requests(ada.token).put(true)).json).toEqual(first);

    // Of three, one may be of a demo garden.
    await makeGuest(server, bob);
    await makeGuest(server, cai);
    expect((await server.requests(bob.token).put(true)).status).toBe(200);
    const full = { error: 'The limit of virtual robots on this server is reached. Try again later.' };
    expect(await server.requests(cai.token).put(true)).toMatchObject({ status: 422, json: full });
    expect((await server.requests(dee.token).put(true)).status).toBe(200);
    const eve = await server.signUp();
    expect(await server.requests(eve.token).put(true)).toMatchObject({ status: 422, json: full });

    // The demo garden's ends when it is idle; the others continue.
    server.clock.offset = 16 * 60_000;
    await waitUntil(async () => !(await server.requests(bob.token).state()).running, 'the end');
    expect(await server.requests(bob.token).state()).toMatchObject({ ended_because: 'It was idle for 15 minutes.' });
    expect(await server.requests(dee.token).state()).toMatchObject({ running: true });

    // A real robot comes, with the same client id.
    const came = await ScriptedRobot.connect(mqtt, { bot: `device_${dee.deviceId}`, token: dee.token });
    await waitUntil(async () => !(await server.requests(dee.token).state()).running, 'the end');
    expect(await server.requests(dee.token).state()).toMatchObject({
      connected: false,
      ended_because: 'A real robot connected.',
    });
    const wait = { kind: 'wait', args: { milliseconds: 1 } };
    const sent = server.requests(dee.token).command(wait);
    const { label } = await came.request();
    await came.publish('from_device', { kind: 'rpc_ok', args: { label } });
    expect(await sent).toEqual(ok);
    await came.end();

    // It ends itself.
    await server.requests(ada.token).command({ kind: 'power_off', args: {} });
    await waitUntil(async () => !(await server.requests(ada.token).state()).running, 'the end');
    expect((await server.requests(ada.token).state()).ended_because).toMatch(/\.$/);
    expect(await server.app.server().count(virtualRobots, { where: { is_running: true } })).toBe(0);
  });

  it('runs at most three at a time for a person, also if gardens are started at the same moment', async () => {
    const server = await open('127.0.0.38', { VIRTUAL_ROBOTS: '10' });
    const { token, deviceId } = await server.signUp();
    const gardens = [{ token, id: deviceId }];
    for (const name of ['Field', 'Greenhouse', 'Roof', 'Balcony']) {
      const { json } = await server.call('POST', '/api/gardens', { token, body: { name } });
      const session = await server.call('POST', `/api/gardens/${json.id}/token`, { token });
      gardens.push({ token: session.json.token.encoded, id: json.id });
    }
    const put = (i: number, running: boolean) => server.requests(gardens[i]?.token ?? '').put(running);
    const answers = await Promise.all(gardens.map((_, i) => put(i, true)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(3);
    for (const i of gardens.keys()) await put(i, true);
    const where = { is_running: true };
    const running = () => server.app.server().rows(virtualRobots, { where, order: [['started_at', 'asc']] });
    const three = await running();
    expect(three).toHaveLength(3);
    const others = gardens.filter(({ id }) => !three.some(({ device_id }) => device_id === id));
    const error = 'You run 3 virtual robots, as many as one person may. Stop one of them first.';
    const refused = await server.requests(others[0]?.token ?? '').put(true);
    expect(refused).toMatchObject({ status: 422, json: { error } });
    expect((await running()).map(({ id }) => id)).toEqual(three.map(({ id }) => id));
    // Another person has a share of their own, and robots that ran before there was a limit continue.
    const fourth = server.app.server().device(others[0]?.id ?? 0);
    // On PostgreSQL, one of the requests at the same moment may have started and ended it.
    await fourth.delete(virtualRobots, {});
    await fourth.insert(virtualRobots, {
      user_id: three[0]?.user_id ?? 0,
      is_running: true,
      is_demo: false,
      x: 0,
      y: 0,
      z: 0,
      started_at: three[0]?.started_at ?? timestamp(0),
    });
    await waitUntil(
      async () => (await server.requests(others[0]?.token ?? '').state()).connected === true,
      'the fourth robot',
    );
    expect(await server.requests(others[0]?.token ?? '').put(true)).toMatchObject({ status: 200 });
    const bob = await server.signUp();
    expect(await server.requests(bob.token).put(true)).toMatchObject({ status: 200 });
    expect(await running()).toHaveLength(5);
  });

  it('says after a change of the password that its session ended, and starts again', async () => {
    const server = await open('127.0.0.37');
    const { token } = await server.signUp();
    const { put, state } = server.requests(token);
    expect((await put(true)).status).toBe(200);
    const new_password = 'two rakes in the shed';
    const body = { password, new_password, new_password_confirmation: new_password };
    expect((await server.call('PATCH', '/api/users', { token, body })).status).toBe(200);
    await waitUntil(async () => !(await state()).running, 'the end');
    expect((await state()).ended_because).toBe('Its session ended, as after a change of the password. Start it again.');
    expect(await put(true)).toMatchObject({ status: 200, json: { running: true, connected: true } });
  });
});

// After a kill, the lease of another process decides on PostgreSQL.
describeEngines('a virtual robot of a killed server', (engine) => {
  it('survives a restart and a kill of the server, at its position', async () => {
    const server = await startServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', MQTT_PORT: anyPort });
    try {
      const { token } = await signUp({ client: server.client, outbox: null }, 'Ada');
      const state = async () => (await server.client.get('/api/virtual_robot', token)).json as Record<string, unknown>;
      const started = await server.client.send('PUT', '/api/virtual_robot', { token, body: { running: true } });
      expect(started.json).toMatchObject({ connected: true });
      const move = (x: number) => {
        const program = { kind: 'move_relative', args: { x, y: 0, z: 0, speed: 100 } };
        return server.client.post('/api/commands', { program, wait: 60 }, token);
      };
      expect((await move(70)).json).toEqual(ok);
      await server.restart();
      await waitUntil(async () => (await state()).connected === true, 'the start');
      expect(await state()).toMatchObject({ position: { x: 70, y: 0, z: 0 } });
      expect((await move(30)).json).toEqual(ok);
      await waitUntil(async () => (await state()).connected === true, 'the position');
      await waitUntil(
        async () => JSON.stringify((await state()).position) === '{"x":100,"y":0,"z":0}',
        'the stored position',
      );
      await server.kill();
      await server.start();
      await waitUntil(async () => (await state()).connected === true, 'the start');
      expect((await move(1)).json).toEqual(ok);
      await waitUntil(
        async () => JSON.stringify((await state()).position) === '{"x":101,"y":0,"z":0}',
        'the stored position',
      );
    } finally {
      await server.remove();
    }
  });
});

it('VIRTUAL_ROBOTS=0 switches them off', async () => {
  const server = await startApp('sqlite', { VIRTUAL_ROBOTS: '0' });
  const { token } = await server.signUp();
  expect(await server.call('PUT', '/api/virtual_robot', { token, body: { running: true } })).toMatchObject({
    status: 422,
    json: { error: 'This server runs no virtual robots.' },
  });
  await server.close();
});
