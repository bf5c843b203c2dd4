import { expect, it } from 'vitest';
import type { Plant } from './points.ts';
import { dosesOf, groupedDoses, usualMethod, type WateringMethod, wateringMethods, wateringSteps } from './watering.ts';

const now = Date.parse('2026-06-11T00:00:00Z');
const plant = (id: number, more: Partial<Plant> = {}): Plant =>
  ({ id, name: 'Leek', x: 0, y: 0, planted_at: '2026-06-01T00:00:00Z', water_curve_id: 1, ...more }) as Plant;
const nozzle = { name: 'Nozzle', type: 'watering_nozzle', flow_rate_ml_per_s: 100, effector_offset_x: 5 } as never;
const source = { curves: [{ id: 1, data: { 1: 100, 11: 300 } }], tools: [nozzle], now };
const valve: WateringMethod = { kind: 'peripheral', id: 4, name: 'Water' };
const program: WateringMethod = {
  kind: 'sequence',
  id: 3,
  name: 'Water plant',
  variable: 'parent',
  openTime: 2000,
  isByCurve: false,
};
const amounts = (method: WateringMethod, plants: readonly Plant[], tools = source.tools) =>
  dosesOf(plants, method, { ...source, tools }).map(({ milliliters, time, age }) => [milliliters, time, age]);

it('gives a plant what its curve says for its age, and others a usual time', () => {
  const others = [plant(2, { water_curve_id: null }), plant(3, { planted_at: null })];
  expect(amounts(valve, [plant(1), ...others])).toEqual([
    [280, 2800, 10],
    [200, 2000, null],
    [200, 2000, null],
  ]);
  // Without the flow of the nozzle, no amount is known.
  expect(amounts(valve, [plant(1)], [])).toEqual([[null, 2000, null]]);
  const rain = { ...source, curves: [{ id: 1, data: { 1: 99_999 } }] };
  expect(dosesOf([plant(1)], valve, rain)[0]).toMatchObject({ milliliters: 10_000, time: 100_000 });
});

it('says what a program gives, if it is known', () => {
  expect(amounts(program, [plant(1)])).toEqual([[200, 2000, null]]);
  expect(amounts({ ...program, openTime: null }, [plant(1)])).toEqual([[null, null, null]]);
  const byCurve = { ...program, openTime: null, isByCurve: true };
  expect(amounts(byCurve, [plant(1), plant(2, { water_curve_id: null })])).toEqual([
    [280, 2800, 10],
    [0, 0, null],
  ]);
  expect(amounts(byCurve, [plant(1)], [])).toEqual([[0, 0, null]]);
});

it('begins with the method that follows a curve', () => {
  expect(usualMethod([program, valve], [plant(1)], source)).toBe(valve);
  expect(usualMethod([program, valve], [plant(1, { water_curve_id: null })], source)).toBe(program);
  expect(usualMethod([], [plant(1)], source)).toBeUndefined();
});

it('finds the time that a program opens something, and whether it follows curves', () => {
  const place = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
  const locals = { body: [{ kind: 'parameter_declaration', args: { label: 'parent', default_value: place } }] };
  const write = (pin_value: number) => ({ kind: 'write_pin', args: { pin_value } });
  const wait = { kind: 'wait', args: { milliseconds: 1500 } };
  const methodOf = (...body: object[]) =>
    wateringMethods([{ id: 1, name: 'Water', args: { locals }, body }] as never, [])[0];
  expect(methodOf(write(1), wait, wait, write(0))).toMatchObject({ openTime: 3000, isByCurve: false });
  expect(methodOf(write(1), { kind: 'move' }, wait, write(0))).toMatchObject({ openTime: null });
  expect(methodOf(write(1), wait, write(0), write(1), wait, write(0))).toMatchObject({ openTime: null });
  expect(methodOf(wait)).toMatchObject({ openTime: null });
  expect(methodOf({ kind: 'lua', args: { lua: 'water(variable("parent"))' } })).toMatchObject({ isByCurve: true });
});

it('has the robot visit the plants row by row, with the tip of the nozzle, for as long as each needs', () => {
  const plants = [plant(1, { x: 20 }), plant(2, { x: 10, y: 9 }), plant(3, { x: 10, y: 3 })];
  const doses = plants.map((each) => ({ plant: each, milliliters: 1, time: each.id === 3 ? 200_000 : 1000, age: 1 }));
  const steps = wateringSteps(valve, doses, nozzle);
  expect(steps.map(({ point_id }) => point_id)).toEqual([3, 2, 1]);
  const pin = (pin_value: number) => ({ kind: 'write_pin', args: { pin_value } });
  const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
  expect(steps[0]?.program).toMatchObject({ body: [{ kind: 'move' }, pin(1), wait(180_000), wait(20_000), pin(0)] });
  const move = JSON.stringify(steps[1]?.program);
  expect(move).toContain('"pointer_id":2');
  expect(move).toContain('{"axis":"x","axis_operand":{"kind":"numeric","args":{"number":-5}}}');
  expect(wateringSteps(program, doses, undefined)[0]?.program).toEqual({
    sequence_id: 3,
    parameters: { parent: { kind: 'point', args: { pointer_type: 'Plant', pointer_id: 3 } } },
  });
});

it('puts plants together that are alike', () => {
  const doses = dosesOf([plant(1), plant(2), plant(3, { name: 'Beet' })], valve, source);
  expect(groupedDoses(doses).map(({ plant: { name }, count }) => [name, count])).toEqual([
    ['Beet', 1],
    ['Leek', 2],
  ]);
});
