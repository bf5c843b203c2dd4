import { expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { documentProblem } from '../../support/schema-validator.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { suiteReceiver, verified } from '../../support/webhook-receiver.ts';

const waiting = { interval: 20 };
const port = await freePort();

describeEngines('events of the robot', (engine) => {
  const mqttPort = engine === 'sqlite' ? port : port + 1;
  const server = suiteApp(engine, { FETCH_ALLOW: '127.0.0.1', PORT: '0', MQTT_PORT: String(mqttPort) });
  const receiver = suiteReceiver();
  suiteFixture(() => server.app.listen());

  it('reach the webhooks that name them', async () => {
    const account = await server.signUp();
    await server.app.server().update(users, { admin: true }, { where: { id: account.userId } });
    const hook = async (path: string, robot_events: string[]) => {
      const body = { url: receiver.url(path), resources: [], robot_events };
      const { json, status } = await server.call('POST', '/api/webhooks', { token: account.token, body });
      expect(status).toBe(200);
      return json.secret as string;
    };
    const all = ['connected', 'disconnected', 'emergency_stop', 'error_log', 'sequence_finished'];
    const secret = await hook('/robot', all);
    await hook('/quiet', ['disconnected']);
    const bot = `device_${account.deviceId}`;
    const login = { username: bot, password: account.token };
    const types = (path: string) => receiver.at(path).map(({ json }) => json.type);
    const until = (...expected: string[]) => expect.poll(() => types('/robot'), waiting).toEqual(expected);
    const robot = await MqttTestClient.connect(`mqtt://127.0.0.1:${mqttPort}`, {
      ...login,
      clientId: `${bot}_15.4.11`,
    });
    await robot.subscribe(`bot/${bot}/from_clients`);
    await until('robot.connected');
    const person = await MqttTestClient.connect(`mqtt://127.0.0.1:${mqttPort}`, login);
    const say = (client: MqttTestClient, channel: string, message: object) =>
      client.publish(`bot/${bot}/${channel}`, JSON.stringify(message));
    const status = (locked: boolean) => say(robot, 'status', { informational_settings: { locked } });
    await status(false);
    await status(true);
    await status(true);
    await until('robot.connected', 'robot.emergency_stop');
    await say(robot, 'logs', { type: 'success', message: 'All is well.' });
    await say(robot, 'logs', { type: 'error', message: 'The pump is stuck.' });
    await until('robot.connected', 'robot.emergency_stop', 'robot.error_log');
    const execute = { kind: 'execute', args: { sequence_id: 7 } };
    await say(person, 'from_clients', { kind: 'rpc_request', args: { label: 'mine', priority: 500 }, body: [execute] });
    await say(robot, 'from_device', { kind: 'rpc_ok', args: { label: 'other' } });
    const explanation = { kind: 'explanation', args: { message: 'No water.' } };
    await say(robot, 'from_device', { kind: 'rpc_error', args: { label: 'mine' }, body: [explanation] });
    const last = 'robot.sequence_finished';
    await until('robot.connected', 'robot.emergency_stop', 'robot.error_log', last);
    const received = receiver.at('/robot');
    for (const each of received) expect(verified(secret, each)).toEqual(each.json);
    const document = server.app.openapi() as { components: { schemas: Record<string, object> } };
    const { RobotDelivery = {} } = document.components.schemas;
    for (const { json } of received) expect(documentProblem(document, RobotDelivery, json)).toBeNull();
    expect(received[2]?.json.data).toEqual({
      event: 'error_log',
      at: expect.any(String),
      message: 'The pump is stuck.',
    });
    expect(received[3]?.json.data).toEqual({
      event: 'sequence_finished',
      at: expect.any(String),
      sequence_ids: [7],
      label: 'mine',
      result: 'error',
      message: 'No water.',
    });
    await robot.end();
    await person.end();
    await expect.poll(() => types('/quiet'), waiting).toEqual(['robot.disconnected']);
  });

  it('include the first emergency stop of a robot that said nothing since the webhook was made', async () => {
    const { token, userId, deviceId } = await server.signUp();
    await server.app.server().update(users, { admin: true }, { where: { id: userId } });
    const bot = `device_${deviceId}`;
    const login = { username: bot, password: token, clientId: `${bot}_15.4.11` };
    const robot = await MqttTestClient.connect(`mqtt://127.0.0.1:${mqttPort}`, login);
    const say = (locked: boolean) =>
      robot.publish(`bot/${bot}/status`, JSON.stringify({ informational_settings: { locked } }));
    await say(false);
    const known = async () => (await server.call('GET', '/api/robot', { token })).json.status;
    await expect.poll(known, waiting).toMatchObject({ locked: false });
    const body = { url: receiver.url('/rest'), resources: [], robot_events: ['emergency_stop'] };
    expect((await server.call('POST', '/api/webhooks', { token, body })).status).toBe(200);
    await say(true);
    await expect
      .poll(() => receiver.at('/rest').map(({ json }) => json.type), waiting)
      .toEqual(['robot.emergency_stop']);
    await robot.end();
  });
});
