import { expect, it } from 'vitest';
import { discoveryOf, type ShownGarden, type ShownStatus, stateOf } from './discovery.ts';
import { PinReadings } from './pin-readings.ts';

const garden: ShownGarden = {
  name: 'Garden',
  peripherals: [{ id: 7, name: 'Water', pin: 8 }],
  sensors: [
    { id: 5, name: 'Soil', pin: 59, isMoisture: true, reading: null },
    { id: 6, name: 'Load', pin: 60, isMoisture: false, reading: null },
  ],
  sequences: [],
  photo: null,
  latestVersion: null,
};

const status: ShownStatus = {
  received_at: '2026-04-01T08:00:00.000Z',
  position: { x: 1, y: 2, z: 3 },
  busy: true,
  pins: { 8: { mode: 0, value: 1 }, 59: { mode: 1, value: 512 }, 60: { mode: null, value: 90 } },
  controller_version: '15.4.11',
  firmware_version: null,
  soc_temp: 41,
  wifi_level_percent: 80,
};

it('shows moisture in percent, which is the unit of its device class, and other sensors as they are', () => {
  const { components } = discoveryOf(1, garden, 'potager/availability');
  expect(components.sensor_5).toMatchObject({
    device_class: 'moisture',
    unit_of_measurement: '%',
    state_class: 'measurement',
    value_template: '{{ value_json.moisture_5 }}',
  });
  expect(components.sensor_6).toMatchObject({ value_template: '{{ value_json.sensor_6 }}' });
  expect(components.sensor_6).not.toHaveProperty('device_class');
  const readings = new PinReadings();
  const state = (connected_since: string | null) => stateOf(garden, { connected_since, status, readings });
  expect(state(null)).toMatchObject({ sensor_5: null, moisture_5: null, sensor_6: null });
  readings.update(status);
  expect(state(null)).toMatchObject({ sensor_5: 512, moisture_5: 50, sensor_6: 90 });
});

it('shows the position and pins of a robot by a status that it sent since it connected', () => {
  const state = (connected_since: string | null) =>
    stateOf(garden, { connected_since, status, readings: new PinReadings() });
  const unknown = { busy: 'OFF', position_x: null, peripheral_7: null, soc_temp: null, wifi: null };
  const versions = { software: '15.4.11', firmware: 'unknown' };
  expect(state('2026-04-01T08:00:00.000Z')).toMatchObject({
    ...versions,
    connected: 'ON',
    busy: 'ON',
    position_x: 1,
    peripheral_7: 'ON',
    soc_temp: 41,
    wifi: 80,
  });
  expect(state('2026-04-01T08:00:00.001Z')).toMatchObject({ ...versions, connected: 'ON', ...unknown });
  expect(state(null)).toMatchObject({ ...versions, connected: 'OFF', ...unknown });
});
