import { expect, it } from 'vitest';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

// A robot that starts, measures and stops, as a client sees it that subscribes like Home Assistant.

const host = '127.0.0.41';
const url = `mqtt://${host}:1883`;

describeEngines('the state of a robot in Home Assistant', (engine) => {
  const server = suiteFixture(
    () => startApp(engine, { HOST: host, PORT: '0', MQTT_PORT: '1883', HOME_ASSISTANT: 'on' }),
    (app) => app.close(),
  );

  it('has the newest reading of each analog sensor, and nothing old of a robot that is off', async () => {
    await server.app.listen();
    // The first account administers the server, so its garden may be shown.
    const { token, deviceId } = await server.signUp();
    const call = async (method: string, path: string, body?: object) => {
      const response = await server.call(method, path, { token, body });
      expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
      return response.json;
    };
    const read = (pin: number, value: number, more: object = {}) =>
      call('POST', '/api/sensor_readings', { pin, value, mode: 1, x: 0, y: 0, z: 0, ...more });
    const sensorOf = async (pin: number, type: string) =>
      (await call('POST', '/api/sensors', { pin, label: `Pin ${pin}`, mode: 1, type })).id;
    const [soil, load] = [await sensorOf(59, 'soil_moisture'), await sensorOf(60, 'none')];
    const { id: water } = await call('POST', '/api/peripherals', { pin: 8, label: 'Water', mode: 0 });
    await read(59, 500);
    // Neither a digital value, nor one that was measured before, nor one of a clock that was ahead, is the last one.
    await read(59, 1, { mode: 0 });
    await read(59, 200, { read_at: '2026-01-01T00:00:00Z' });
    await read(60, 70, { read_at: new Date(Date.now() + 365 * 86_400_000).toISOString() });
    await read(60, 80);
    await call('PATCH', '/api/home_assistant', { on: true });

    const { username, password } = await call('POST', '/api/home_assistant/password');
    const home = await MqttTestClient.connect(url, { username, password });
    await home.subscribe(['homeassistant/#', `potager/device_${deviceId}/#`]);
    const last = (end: string) =>
      JSON.parse(home.received.findLast(({ topic, text }) => topic.endsWith(end) && text !== '')?.text ?? '{}');
    const shows = (state: object) => expect.poll(() => last('/state')).toMatchObject(state);
    const ofSoil = (value: number, percent: number) => ({ [`sensor_${soil}`]: value, [`moisture_${soil}`]: percent });
    const off = {
      connected: 'OFF',
      busy: 'OFF',
      position_x: null,
      position_y: null,
      position_z: null,
      soc_temp: null,
      wifi: null,
      [`peripheral_${water}`]: null,
    };
    await shows({ ...off, ...ofSoil(500, 48.9), [`sensor_${load}`]: 80 });

    const robot = () =>
      MqttTestClient.connect(url, {
        username: `device_${deviceId}`,
        password: token,
        clientId: `device_${deviceId}_15.4.11`,
      });
    const connected = async () => {
      const client = await robot();
      await client.subscribe(`bot/device_${deviceId}/from_clients`);
      const report = (x: number, pins: object) =>
        client.publish(
          `bot/device_${deviceId}/status`,
          JSON.stringify({
            location_data: { position: { x, y: 2, z: -3 } },
            pins,
            informational_settings: {
              busy: false,
              controller_version: '15.4.11',
              soc_temp: 41,
              wifi_level_percent: 80,
            },
          }),
          { qos: 1 },
        );
      return { report, end: () => client.end() };
    };
    const first = await connected();
    await first.report(10, { 8: { mode: 0, value: 1 }, 59: { mode: 1, value: 321 } });
    const on = { connected: 'ON', position_x: 10, soc_temp: 41, wifi: 80, [`peripheral_${water}`]: 'ON' };
    await shows({ ...on, ...ofSoil(321, 31.4), [`sensor_${load}`]: 80 });
    // A status repeats its values: a reading that was stored in the meantime is newer.
    await read(59, 400);
    await shows(ofSoil(400, 39.1));
    await first.report(20, { 8: { mode: 0, value: 0 }, 59: { mode: 1, value: 321 } });
    await shows({ position_x: 20, [`peripheral_${water}`]: 'OFF', ...ofSoil(400, 39.1) });
    await first.report(20, { 59: { mode: 1, value: 330 }, 60: { mode: 0, value: 1 } });
    await shows({ ...ofSoil(330, 32.3), [`sensor_${load}`]: 80 });

    await first.end();
    await shows({ ...off, software: '15.4.11', ...ofSoil(330, 32.3) });
    // Its pins are unknown after it starts, and its position until then.
    const second = await connected();
    await shows({ ...off, connected: 'ON', ...ofSoil(330, 32.3) });
    await second.report(0, {});
    await shows({ connected: 'ON', position_x: 0, [`peripheral_${water}`]: 'OFF', ...ofSoil(330, 32.3) });
    // The same value is a new one.
    await read(59, 600);
    await shows(ofSoil(600, 58.7));
    await second.report(0, { 59: { mode: 1, value: 330 } });
    await shows(ofSoil(330, 32.3));

    const { components } = last('/config');
    const needingRobot = Object.entries<{ availability?: unknown; availability_mode?: string }>(components).filter(
      ([, { availability_mode }]) => availability_mode === 'all',
    );
    expect(needingRobot.map(([key]) => key).toSorted()).toEqual(
      ['busy', `peripheral_${water}`, 'position_x', 'position_y', 'position_z', 'soc_temp', 'wifi'].toSorted(),
    );
    for (const [key, { availability }] of needingRobot)
      expect(availability, key).toEqual([
        { topic: `potager/device_${deviceId}/availability` },
        {
          topic: `potager/device_${deviceId}/state`,
          value_template: '{{ value_json.connected }}',
          payload_available: 'ON',
          payload_not_available: 'OFF',
        },
      ]);
    await second.end();
    await home.end();
  });
});
