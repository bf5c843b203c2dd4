import { expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../test/support/robot-harness.ts';

const account = suiteFakeAccount();

it('logs requests for parts that a virtual robot does not have, and continues', async () => {
  const bench = new RobotHarness(account.base);
  const after = step('send_message', { message: 'after', message_type: 'info' });
  const steps = [
    step('execute_script', { label: 'historical-camera-calibration' }),
    step('install_farmware', { url: 'https://example.com/manifest.json' }),
    step('install_first_party_farmware'),
    step('remove_farmware', { package: 'x' }),
    step('update_farmware', { package: 'x' }),
    step('flash_firmware', { package: 'arduino_firmware' }),
  ];
  for (const each of steps) {
    bench.reset();
    expect(await bench.run(each, after)).toBeNull();
    expect(bench.performed[0]).toMatch(
      /^warn\|A virtual robot has no (farmware|motor controller).*: the step was skipped\.$/,
    );
    expect(bench.performed).toContain('info|after');
  }
});

it('measures the soil as a point, the same height at the same place', async () => {
  const bench = new RobotHarness(account.base);
  account.records.set('/api/points', []);
  const measure = step('execute_script', { label: 'Measure Soil Height' });
  const move = step('move_relative', { x: 100, y: 50, z: 0, speed: 100 });
  expect(await bench.run(move, measure, measure)).toBeNull();
  const [first, second] = account.changes;
  expect(first).toEqual(second);
  expect(first).toMatchObject({
    path: '/api/points',
    body: {
      pointer_type: 'GenericPointer',
      x: 100,
      y: 50,
      radius: 0,
      meta: { created_by: 'measure-soil-height', at_soil_level: 'true' },
    },
  });
  // The soil is at -400 mm, give or take 16.
  expect(first?.body).toMatchObject({ z: expect.closeTo(-400, -1.5) });
});

it('records readings of sensors, by name and by pin', async () => {
  const bench = new RobotHarness(account.base);
  account.records.set('/api/sensors', [{ id: 5, pin: 59, mode: 1, label: 'Soil' }]);
  account.records.set('/api/sensors/5', { id: 5, pin: 59, mode: 1, label: 'Soil' });
  account.records.set('/api/sensor_readings', {});
  const named = step('named_pin', { pin_type: 'Sensor', pin_id: 5 });
  for (const pin_number of [59, named, 60])
    expect(await bench.run(step('read_pin', { pin_number, label: '', pin_mode: 1 }))).toBeNull();
  expect(account.changes.map(({ path }) => path)).toEqual(['/api/sensor_readings', '/api/sensor_readings']);
  expect(account.changes[0]?.body).toMatchObject({ pin: 59, mode: 1, value: 450, x: 0, y: 0, z: 0 });
  expect(bench.machine.pins.get('59')).toEqual({ mode: 1, value: 450 });
});

it('ends the request if a photo cannot be uploaded', async () => {
  const bench = new RobotHarness(account.base);
  account.records.set('/api/points', []);
  expect(await bench.run(step('take_photo'))).toBe('Not found.');
  account.records.set('/api/storage_auth.json', { url: 5 });
  expect(await bench.run(step('take_photo'))).toBe('The server sent no permission to upload a photo.');
  const form_data = { key: 'temp/1.jpg', file: 'REPLACE_THIS' };
  account.records.set('/api/storage_auth.json', { url: '//127.0.0.1:1/direct_upload/', form_data });
  expect(await bench.run(step('take_photo'))).toContain('http://127.0.0.1:1 is unreachable');
  expect(account.changes).toEqual([]);
});
