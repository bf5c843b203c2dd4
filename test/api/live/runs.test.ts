import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { points } from '../../../src/garden/points.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { runPlaces, runs } from '../../../src/runs/run-records.ts';
import { RunWorker } from '../../../src/runs/run-worker.ts';
import type { Account } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { dropDatabase } from '../../support/databases.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { caller, join } from '../../support/members.ts';
import type { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { testPasswordCost } from '../../support/password-cost.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';

interface Gardener extends Account {
  readonly plants: readonly number[];
}

const pumpAt = (id: number) => ({
  kind: 'rpc_request',
  args: {},
  body: [
    {
      kind: 'move',
      args: {},
      body: [
        {
          kind: 'axis_overwrite',
          args: { axis: 'x', axis_operand: { kind: 'point', args: { pointer_type: 'Plant', pointer_id: id } } },
        },
      ],
    },
    { kind: 'wait', args: { milliseconds: 10 } },
  ],
});

const runOf = (ids: readonly number[]) => ({
  name: 'Water plant',
  steps: ids.map((id) => ({ point_id: id, program: pumpAt(id) })),
});

describeEngines('a run over several places', (engine) => {
  const server = suiteBrokerApp(engine);
  const call = caller(server);
  const mqtt = () => `mqtt://127.0.0.1:${server.settings.MQTT_PORT}`;

  async function gardener(count = 3): Promise<Gardener> {
    const account = await server.signUp();
    const plants: number[] = [];
    for (let i = 1; i <= count; i++) {
      const body = { pointer_type: 'Plant', name: `Broccoli ${i}`, x: 100 * i, y: 200, z: 0 };
      plants.push((await call(account, 'POST', '/api/points', body)).json.id);
    }
    return { ...account, plants };
  }
  const connect = (account: Account): Promise<ScriptedRobot> =>
    ScriptedRobot.connect(mqtt(), { bot: `device_${account.deviceId}`, token: account.token });
  const answer = async (robot: ScriptedRobot, number: number, message?: string): Promise<void> => {
    const { label } = await robot.request(number);
    const body = message === undefined ? {} : { body: [{ kind: 'explanation', args: { message } }] };
    await robot.publish('from_device', {
      kind: message === undefined ? 'rpc_ok' : 'rpc_error',
      args: { label },
      ...body,
    });
  };
  const start = async (account: Gardener, ids = account.plants): Promise<number> => {
    const { status, json, text } = await call(account, 'POST', '/api/runs', runOf(ids));
    expect(status, text).toBe(200);
    return json.id;
  };
  const shown = async (account: Account, id: number) => (await call(account, 'GET', `/api/runs/${id}`)).json;
  const until = (account: Account, id: number, state: object) =>
    expect.poll(() => shown(account, id)).toMatchObject(state);

  it('sends the program of each place after the response to the one before, and counts', async () => {
    const ada = await gardener();
    const robot = await connect(ada);
    const { json } = await call(ada, 'POST', '/api/runs', runOf(ada.plants));
    expect(json).toMatchObject({ name: 'Water plant', state: 'running', total: 3, done: 0, skipped: 0, problem: null });
    expect(json).toMatchObject({ point_id: ada.plants[0], place: 'Broccoli 1', ended_at: null });
    expect(Object.keys(json)).not.toContain('is_sent');
    const first = await robot.request(1);
    expect(first.body.map(({ kind }) => kind)).toEqual(['move', 'wait']);
    // The next one waits for the robot.
    expect(robot.requests()).toHaveLength(1);
    await answer(robot, 1);
    await until(ada, json.id, { done: 1, place: 'Broccoli 2' });
    await answer(robot, 2);
    await answer(robot, 3);
    await until(ada, json.id, { state: 'done', done: 3, point_id: null, place: null, ended_at: expect.any(String) });
    expect(robot.requests()).toHaveLength(3);
    expect((await call(ada, 'GET', '/api/runs')).json).toMatchObject([{ id: json.id, state: 'done' }]);
    expect((await call(ada, 'POST', `/api/runs/${json.id}/stop`)).status).toBe(409);
    await robot.end();
  });

  it('stops after the current place, and goes on when it is asked to', async () => {
    const ada = await gardener();
    const robot = await connect(ada);
    const id = await start(ada);
    await robot.request(1);
    expect((await call(ada, 'POST', `/api/runs/${id}/stop`)).json).toMatchObject({ state: 'stopping' });
    expect((await call(ada, 'POST', `/api/runs/${id}/stop`)).json).toMatchObject({ state: 'stopping' });
    await answer(robot, 1);
    await until(ada, id, { state: 'stopped', done: 1, problem: null });
    expect((await call(ada, 'POST', `/api/runs/${id}/resume`)).json).toMatchObject({ state: 'running', done: 1 });
    await answer(robot, 2);
    await answer(robot, 3);
    await until(ada, id, { state: 'done', done: 3 });
    expect((await call(ada, 'POST', `/api/runs/${id}/resume`)).status).toBe(409);
    await robot.end();
  });

  it('is interrupted by an error of the robot, and goes on at the same place or the next one', async () => {
    const ada = await gardener();
    const robot = await connect(ada);
    const id = await start(ada);
    await answer(robot, 1);
    await answer(robot, 2, 'The emergency\u0000stop was pressed.');
    const interrupted = { state: 'interrupted', done: 1, point_id: ada.plants[1], place: 'Broccoli 2' };
    await until(ada, id, { ...interrupted, problem: 'The emergency stop was pressed.' });
    expect((await call(ada, 'POST', `/api/runs/${id}/resume`)).json).toMatchObject({ state: 'running', problem: null });
    await answer(robot, 3, 'Stalled.');
    await until(ada, id, { ...interrupted, problem: 'Stalled.' });
    const skipping = await call(ada, 'POST', `/api/runs/${id}/resume`, { skip: 'no' });
    expect([skipping.status, Object.keys(skipping.json)]).toEqual([422, ['skip']]);
    await call(ada, 'POST', `/api/runs/${id}/resume`, { skip: true });
    await answer(robot, 4);
    await until(ada, id, { state: 'done', done: 2, skipped: 1 });
    expect(JSON.stringify(robot.requests()[3])).toContain(`"pointer_id":${ada.plants[2]}`);
    await robot.end();
  });

  it('leaves out plants that were deleted meanwhile', async () => {
    const ada = await gardener();
    const robot = await connect(ada);
    const id = await start(ada);
    await robot.request(1);
    for (const plant of ada.plants.slice(1)) await call(ada, 'DELETE', `/api/points/${plant}`);
    await answer(robot, 1);
    await until(ada, id, { state: 'done', done: 1, skipped: 2 });
    expect(robot.requests()).toHaveLength(1);
    await robot.end();
  });

  it('is the only one of its garden, needs a robot, and replaces the one before it', async () => {
    const ada = await gardener();
    expect((await call(ada, 'POST', '/api/runs', runOf(ada.plants))).status).toBe(409);
    expect((await call(ada, 'GET', '/api/runs')).json).toEqual([]);
    const robot = await connect(ada);
    const both = await Promise.all([1, 2].map(() => call(ada, 'POST', '/api/runs', runOf(ada.plants))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const id = both.find(({ status }) => status === 200)?.json.id;
    await answer(robot, 1, 'Locked.');
    await until(ada, id, { state: 'interrupted' });
    const second = await start(ada);
    await until(ada, id, { state: 'stopped' });
    await answer(robot, 2, 'Locked.');
    await until(ada, second, { state: 'interrupted' });
    expect((await call(ada, 'POST', `/api/runs/${id}/resume`)).status).toBe(409);
    await robot.end();
    await expect.poll(async () => (await call(ada, 'GET', '/api/robot')).json.connected).toBe(false);
    expect((await call(ada, 'POST', `/api/runs/${second}/resume`)).status).toBe(409);
    expect((await call(ada, 'POST', `/api/runs/${second}/stop`)).json).toMatchObject({ state: 'stopped', place: null });
    const scope = server.app.server().device(ada.deviceId);
    expect(await scope.count(runPlaces, { where: { run_id: id } })).toBe(0);
  });

  it('refuses bad input by name, and changes nothing', async () => {
    const [ada, bob] = [await gardener(1), await gardener(1)];
    const [own, foreign] = [Number(ada.plants[0]), Number(bob.plants[0])];
    const good = { point_id: own, program: pumpAt(own) };
    const bad: readonly (readonly [object, object])[] = [
      [{ steps: [good] }, { name: expect.any(String) }],
      [{ name: 'x'.repeat(281), steps: [good] }, { name: expect.any(String) }],
      ...[undefined, [], {}, [null], [{ point_id: '1', program: {} }], Array(501).fill(good)].map(
        (steps) => [{ name: 'Water', steps }, { steps: expect.stringContaining('500') }] as const,
      ),
      [
        { name: 'Water', steps: [good, { ...good, point_id: foreign }] },
        { steps: [null, { point_id: 'This plant or point does not exist.' }] },
      ],
      [
        {
          name: 'Water',
          steps: [
            { point_id: own, program: pumpAt(foreign) },
            { point_id: own, program: { kind: 'x' } },
          ],
        },
        { steps: [{ program: expect.any(String) }, { program: expect.any(String) }] },
      ],
    ];
    const robot = await connect(ada);
    for (const [body, failures] of bad) {
      const { status, json } = await call(ada, 'POST', '/api/runs', body);
      expect([status, json]).toEqual([422, failures]);
    }
    expect((await call(ada, 'GET', '/api/runs')).json).toEqual([]);
    const id = await start(ada);
    for (const path of ['', '/stop', '/resume'])
      expect((await call(bob, path === '' ? 'GET' : 'POST', `/api/runs/${id}${path}`)).status).toBe(404);
    await robot.end();
  });

  it('is seen by viewers, and commanded by those who may command the robot', async () => {
    const [ada, bob] = [await gardener(), await server.signUp()];
    const viewer = await join(server, ada, bob, 'viewer');
    const robot = await connect(ada);
    const scoped = async (...scopes: string[]) => {
      const body = { name: scopes.join(), scopes, expires_at: null, password };
      return { ...ada, token: (await call(ada, 'POST', '/api/personal_tokens', body)).json.token };
    };
    const [reader, commander] = [await scoped('read', 'garden'), await scoped('control')];
    for (const one of [viewer, reader])
      expect((await call(one, 'POST', '/api/runs', runOf(ada.plants))).status).toBe(403);
    const id = (await call(commander, 'POST', '/api/runs', runOf(ada.plants))).json.id;
    await robot.request(1);
    for (const one of [viewer, reader, commander]) expect((await shown(one, id)).state).toBe('running');
    for (const one of [viewer, reader])
      for (const path of ['stop', 'resume'])
        expect((await call(one, 'POST', `/api/runs/${id}/${path}`)).status).toBe(403);
    expect((await call(commander, 'POST', `/api/runs/${id}/stop`)).status).toBe(200);
    await answer(robot, 1);
    await until(viewer, id, { state: 'stopped' });
    await robot.end();
  });

  it('ends when the person who started it may not command the robot any more', async () => {
    const [ada, bob] = [await gardener(), await server.signUp()];
    const member = await join(server, ada, bob, 'gardener');
    const robot = await connect(ada);
    const id = await start({ ...member, plants: ada.plants });
    await robot.request(1);
    await call(ada, 'PATCH', `/api/members/${bob.userId}`, { role: 'viewer', password });
    await answer(robot, 1);
    await until(ada, id, {
      state: 'interrupted',
      done: 1,
      place: 'Broccoli 2',
      problem: 'The person who started it may not command the robot any more.',
    });
    await robot.end();
  });

  it('is in the stream of changes, but neither on the broker nor in the history', async () => {
    const ada = await gardener(1);
    const robot = await connect(ada);
    const client: MqttTestClient = await server.connect(`device_${ada.deviceId}`, ada.token);
    await client.subscribe(`bot/device_${ada.deviceId}/sync/#`, 1);
    const response = await fetch(`${server.base}/api/events?resources=Run`, { headers: { authorization: ada.token } });
    const id = await start(ada);
    await answer(robot, 1);
    await until(ada, id, { state: 'done' });
    await call(ada, 'POST', '/api/tools', { name: 'Hoe' });
    await expect.poll(() => client.received.map(({ topic }) => topic.split('/')[3])).toEqual(['Tool']);
    const states: unknown[] = [];
    let text = '';
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (states.at(-1) !== 'done') {
      text += (await reader?.read())?.value ?? '';
      const events = text.split('\n\n').flatMap((event) => /^event: Run$[\s\S]*^data: (.*)$/m.exec(event)?.[1] ?? []);
      states.splice(0, states.length, ...events.map((data) => JSON.parse(data).record.state));
    }
    expect(states[0]).toBe('running');
    await reader?.cancel();
    const history = (await call(ada, 'GET', '/api/history')).json;
    expect(history.map(({ resource }: { resource: string }) => resource)).not.toContain('Run');
    await robot.end();
  });

  it('ends with the reset of its garden', async () => {
    const ada = await gardener();
    const robot = await connect(ada);
    const id = await start(ada);
    await robot.request(1);
    expect((await call(ada, 'POST', '/api/device/reset', { password })).status).toBe(200);
    await expect.poll(async () => (await call(ada, 'GET', `/api/runs/${id}`)).status).toBe(404);
    await answer(robot, 1);
    const where = { kind: 'run', device_id: ada.deviceId };
    await expect.poll(() => server.app.server().count(jobs, { where })).toBe(0);
    expect(robot.requests()).toHaveLength(1);
    await robot.end();
  });

  it('waits for a robot whose connection is lost for a moment, and is interrupted by a longer absence', async () => {
    const ada = await gardener(1);
    const scope = server.app.server().device(ada.deviceId);
    const places = { name: 'Broccoli 1', program: pumpAt(Number(ada.plants[0])), point_id: Number(ada.plants[0]) };
    let isConnected = false;
    /** Runs a job with a robot that responds when the test has it respond. */
    const work = async (respond: (signal: AbortSignal) => Promise<'ok' | 'timeout'>, is_sent = false) => {
      await scope.delete(runs, { where: {} });
      const values = { name: 'Water', state: 'running', total: 1, done: 0, skipped: 0, user_id: ada.userId } as const;
      const none = { point_id: null, place: null, problem: null, ended_at: null, is_sent };
      const run = await scope.insert(runs, { ...values, ...none });
      await scope.insert(runPlaces, { ...places, run_id: run.id, number: 1 });
      const worker = new RunWorker({
        queue: { enqueueSerial: async () => undefined },
        accounts: { rightsOf: async () => ({ role: 'owner', scopes: null }) },
        garden: { points },
        live: {
          directory: {
            robots: () => (isConnected ? [{ jti: null, since: 0 }] : []),
            state: () => ({ connected: isConnected, connected_since: null, status: null }),
          },
          commands: {
            send: async (_scope, _program, { signal }) => ({
              status: await respond(signal ?? new AbortController().signal),
              explanation: null,
            }),
            sendEmergency: async () => ({ status: 'ok', explanation: null }),
          },
        },
        maxAbsence: 2000,
      });
      const payload = { device_id: ada.deviceId, run_id: run.id };
      const job = { turnOf: null, serialKey: null, hold: async () => true };
      const ended = worker.job.handle(server.app.server(), payload, job);
      return { worker, ended: ended.then(() => scope.first(runs, { where: { id: run.id } })) };
    };
    const silent = (signal: AbortSignal): Promise<'timeout'> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('timeout')));

    const late = await work(async () => 'ok');
    isConnected = true;
    expect(await late.ended).toMatchObject({ state: 'done', done: 1 });
    const lost = await work(async (signal) => {
      isConnected = false;
      return silent(signal);
    });
    expect(await lost.ended).toMatchObject({
      state: 'interrupted',
      problem: 'The robot lost its connection before it responded.',
    });
    isConnected = true;
    const stopped = await work(async (signal) => {
      setImmediate(() => stopped.worker.stop());
      return silent(signal);
    });
    expect(await stopped.ended).toMatchObject({
      state: 'interrupted',
      place: 'Broccoli 1',
      problem: 'The server stopped before the robot responded.',
    });
    // A killed server did not store the response: the program is not sent again.
    const killed = await work(() => Promise.reject(new Error('sent again')), true);
    expect(await killed.ended).toMatchObject({ state: 'interrupted', done: 0 });
  });

  it('is interrupted by a stop of the server, and goes on after its start', async () => {
    const first = await startApp(engine, { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(await freePort()) });
    await first.app.listen();
    const ada = await first.signUp();
    const body = { pointer_type: 'Plant', name: 'Broccoli 3', x: 100, y: 200, z: 0 };
    const plant = (await caller(first)(ada, 'POST', '/api/points', body)).json.id;
    const address = `mqtt://127.0.0.1:${first.settings.MQTT_PORT}`;
    const robotOf = () => ScriptedRobot.connect(address, { bot: `device_${ada.deviceId}`, token: ada.token });
    const robot = await robotOf();
    const { id } = (await caller(first)(ada, 'POST', '/api/runs', runOf([plant]))).json;
    await robot.request(1);
    await first.app.close();
    await robot.end();
    const second = await createApp(first.settings, { passwordCost: testPasswordCost });
    await second.listen();
    const device = second.server().device(ada.deviceId);
    expect(await device.first(runs, { where: { id } })).toMatchObject({
      state: 'interrupted',
      place: 'Broccoli 3',
      problem: 'The server stopped before the robot responded.',
    });
    await second.close();
    if (first.settings.DATABASE_URL) await dropDatabase(first.settings.DATABASE_URL);
    rmSync(first.settings.DATA_DIR, { recursive: true, force: true });
  });
});
