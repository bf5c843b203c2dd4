import { beforeEach, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../test/support/robot-harness.ts';

const account = suiteFakeAccount();
beforeEach(() => {
  account.records.set('/api/points/9', { id: 9, pointer_type: 'Plant', x: 1, y: 2, z: 3, meta: { a: '1' } });
  account.records.set('/api/device', { id: 1 });
});

const update = (resource: object, values: Record<string, unknown>) =>
  step(
    'update_resource',
    { resource },
    Object.entries(values).map(([label, value]) => step('pair', { label, value })),
  );
const plant = step('resource', { resource_type: 'Plant', resource_id: 9 });

it('changes a point, also one key of its meta', async () => {
  const bench = new RobotHarness(account.base);
  expect(await bench.run(update(plant, { plant_stage: 'harvested', x: 5 }))).toBeNull();
  expect(await bench.run(update(step('point', { pointer_type: 'Plant', pointer_id: 9 }), { 'meta.b': 2 }))).toBeNull();
  expect(account.changes).toEqual([
    { method: 'PATCH', path: '/api/points/9', body: { plant_stage: 'harvested', x: 5 } },
    { method: 'PATCH', path: '/api/points/9', body: { meta: { a: '1', b: 2 } } },
  ]);
  expect(bench.performed).toContain('info|Changed Plant 9: plant_stage = harvested, x = 5.');
});

it('fills in templates, but not in meta; an empty text is null', async () => {
  const bench = new RobotHarness(account.base);
  await bench.run(step('move_relative', { x: 3, y: 4.25, z: -50.5, speed: 100 }));
  const values = { x: '{{ x }}', y: '{{ y }}', z: '{{ z }}', planted_at: '{{ NULL }}', name: 'At {{ nope }}{{ x }}' };
  expect(await bench.run(update(plant, { ...values, 'meta.b': '{{ x }}' }))).toBeNull();
  expect(account.changes[0]?.body).toEqual({
    x: '3',
    y: '4.3',
    z: '-51',
    planted_at: null,
    name: 'At 3',
    meta: { a: '1', b: '{{ x }}' },
  });
});

it('changes the device, whatever the id', async () => {
  const bench = new RobotHarness(account.base);
  const device = step('resource', { resource_type: 'Device', resource_id: 0 });
  expect(await bench.run(update(device, { mounted_tool_id: 4 }))).toBeNull();
  expect(account.changes).toEqual([{ method: 'PATCH', path: '/api/device', body: { mounted_tool_id: 4 } }]);
});

it('changes the record in a variable', async () => {
  const locals = step('scope_declaration', {}, [step('parameter_declaration', { label: 'it', default_value: plant })]);
  const mark = update(step('identifier', { label: 'it' }), { plant_stage: 'removed' });
  account.records.set('/api/sequences/1', { name: 'Mark', args: { locals }, body: [mark] });
  expect(await new RobotHarness(account.base).run(step('execute', { sequence_id: 1 }))).toBeNull();
  expect(account.changes).toMatchObject([{ path: '/api/points/9', body: { plant_stage: 'removed' } }]);
});

it('rejects other records', async () => {
  const bench = new RobotHarness(account.base);
  const resource = (resource_type: string, resource_id: number) => step('resource', { resource_type, resource_id });
  expect(await bench.run(update(resource('Sequence', 1), {}))).toContain('"Sequence" cannot be changed');
  expect(await bench.run(update(resource('Plant', 8), {}))).toBe('There is no point 8 in this garden.');
  expect(await bench.run(update(step('coordinate', { x: 1, y: 2, z: 3 }), {}))).toBe('"coordinate" is not a record.');
  expect(account.changes).toEqual([]);
});
