import { expect, it } from 'vitest';
import { discoveryOf, type ShownGarden, stateOf } from './discovery.ts';

const garden: ShownGarden = {
  name: 'Garden',
  peripherals: [],
  sensors: [
    { id: 5, name: 'Soil', pin: 59, isMoisture: true },
    { id: 6, name: 'Load', pin: 60, isMoisture: false },
  ],
  sequences: [],
  photo: null,
  latestVersion: null,
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
  const status = {
    position: { x: 0, y: 0, z: 0 },
    busy: false,
    pins: { 59: { value: 512 }, 60: { value: 90 } },
    controller_version: null,
    firmware_version: null,
    soc_temp: null,
    wifi_level_percent: null,
  };
  expect(stateOf(garden, true, status)).toMatchObject({ sensor_5: 512, moisture_5: 50, sensor_6: 90 });
  expect(stateOf(garden, false, null)).toMatchObject({ sensor_5: null, moisture_5: null, sensor_6: null });
});
