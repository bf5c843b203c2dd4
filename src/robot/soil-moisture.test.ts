import { beforeEach, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../test/support/robot-harness.ts';
import { SoilMoisture } from './soil-moisture.ts';

const account = suiteFakeAccount();
let bench: RobotHarness;
const hour = 3_600_000;

beforeEach(() => {
  bench = new RobotHarness(account.base);
  account.records.set('/api/sensors', []);
});

const moveTo = (x: number, y: number) =>
  step('move_absolute', {
    location: step('coordinate', { x, y, z: 0 }),
    offset: step('coordinate', { x: 0, y: 0, z: 0 }),
    speed: 100,
  });
const write = (pin_number: number | object, pin_value: 0 | 1) =>
  step('write_pin', { pin_number, pin_mode: 0, pin_value });
const wait = (milliseconds: number) => step('wait', { milliseconds });

/** Runs steps, and returns what the soil sensor shows after them. */
async function read(...steps: readonly object[]): Promise<number | undefined> {
  expect(await bench.run(...steps, step('read_pin', { pin_number: 59, label: '', pin_mode: 1 }))).toBeNull();
  return bench.machine.pins.get('59')?.value;
}

it('is another one at each place, whatever was read before', async () => {
  const values: unknown[] = [];
  for (const x of [0, 200, 400, 600, 800, 1200]) values.push(await read(moveTo(x, 300)));
  expect(new Set(values).size).toBe(6);
  expect(await read(moveTo(0, 0))).toBe(450);
});

it('rises where the valve is open, and only there', async () => {
  const [dry, far] = [await read(moveTo(1600, 0)), await read(moveTo(1000, 0))];
  const watered = Number(await read(moveTo(1600, 0), write(8, 1), wait(5_000), write(8, 0)));
  expect(dry).toBe(331);
  expect(watered).toBeGreaterThan(600);
  expect(await read(wait(60_000))).toBe(watered);
  expect(await read(moveTo(1660, 0))).toBeLessThan(watered);
  expect(await read(moveTo(1000, 0))).toBe(far);
});

it('rises on the way of a robot that waters while it moves', async () => {
  const unwatered = new Map<number, number>();
  for (const x of [1200, 1500, 1700, 1900]) unwatered.set(x, Number(await read(moveTo(x, 0))));
  await read(moveTo(1500, 0), write(8, 1), moveTo(1900, 0), write(8, 0));
  for (const x of [1500, 1700, 1900]) expect(await read(moveTo(x, 0))).toBeGreaterThan(Number(unwatered.get(x)) + 50);
  expect(await read(moveTo(1200, 0))).toBe(unwatered.get(1200));
});

it.each([
  ['a toggled pin', () => step('toggle_pin', { pin_number: 8 }), {}],
  ['pin 9 of an Arduino', () => write(9, 1), { firmware_hardware: 'arduino' }],
  ['a peripheral of the type', () => write(step('named_pin', { pin_type: 'Peripheral', pin_id: 7 }), 1), {}],
])('rises by %s', async (_name, open, settings) => {
  account.records.set('/api/peripherals/7', { id: 7, pin: 12, mode: 0, label: 'Drip', type: 'water' });
  bench.configure(settings);
  expect(await read(moveTo(1600, 0), open(), wait(5_000))).toBeGreaterThan(600);
});

it('stays as it is when other pins are set, and when the motor controller closed the valve', async () => {
  const dry = await read(moveTo(1600, 0));
  expect(await read(write(7, 1), wait(5_000))).toBe(dry);
  await bench.run(write(8, 1), step('reboot', { package: 'arduino_firmware' }));
  expect(await read(wait(5_000))).toBe(dry);
});

it('falls again within days', () => {
  const soil = new SoilMoisture();
  const place = { x: 1600, y: 0, z: 0 };
  const dry = soil.valueAt(place, 0);
  soil.water(place, 5_000, 0);
  const values = [0, 24 * hour, 48 * hour, 240 * hour].map((now) => soil.valueAt(place, now));
  expect(values.slice(0, 3)).toEqual(values.slice(0, 3).toSorted((one, other) => other - one));
  expect(values[0]).toBeGreaterThan(dry + 200);
  expect(values[3]).toBe(dry);
});

it('stays as it is when the clock is set back', () => {
  const soil = new SoilMoisture();
  const place = { x: 1600, y: 0, z: 0 };
  soil.water(place, -hour, 0);
  expect(soil.valueAt(place, 0)).toBe(331);
});

it('has an end, also of a valve that stays open', () => {
  const soil = new SoilMoisture();
  const place = { x: 1600, y: 0, z: 0 };
  soil.water(place, 240 * hour, 0);
  expect(soil.valueAt(place, 0)).toBe(849);
  expect(soil.valueAt(place, 240 * hour)).toBe(331);
});
