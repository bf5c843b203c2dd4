import { beforeEach, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { numeric, RobotHarness, step } from '../../test/support/robot-harness.ts';

const account = suiteFakeAccount();
const height = (x: number, y: number, z: number) => ({ x, y, z, meta: { at_soil_level: 'true' } });
const corners = [height(0, 0, -100), height(1000, 0, -200), height(0, 1000, -300), height(1000, 1000, -150)];
beforeEach(() => {
  account.records.set('/api/points', corners);
});

const soil = step('special_value', { label: 'soil_height' });
const overwrite = (axis: string, axis_operand: object) => step('axis_overwrite', { axis, axis_operand });
const addition = (axis: string, number: number) => step('axis_addition', { axis, axis_operand: numeric(number) });

/** Returns the last position of a `move`, and its logs. */
async function moved(...parts: readonly object[]) {
  const bench = new RobotHarness(account.base);
  expect(await bench.run(step('move', {}, parts))).toBeNull();
  return { position: bench.machine.position, logs: bench.performed };
}

it('is moved to at the target, whatever the order of axes', async () => {
  const across = [overwrite('x', numeric(60)), overwrite('y', numeric(100)), addition('x', 40)];
  expect((await moved(...across, overwrite('z', soil))).position).toEqual({ x: 100, y: 100, z: -100.19 });
  const { position } = await moved(addition('z', 5), overwrite('z', soil), addition('z', -21), ...across);
  expect(position).toEqual({ x: 100, y: 100, z: -121.19 });
  // Whatever the axis, it is a height.
  expect((await moved(overwrite('x', numeric(1000)), overwrite('y', soil))).position).toEqual({
    x: 1000,
    y: 0,
    z: -200,
  });
});

it('is the setting if fewer than three heights are measured', async () => {
  account.records.set('/api/points', corners.slice(0, 2));
  const { position, logs } = await moved(overwrite('z', soil));
  expect(position).toEqual({ x: 0, y: 0, z: -400 });
  expect(logs).toContain('warn|Fewer than 3 soil heights are measured: the robot takes -400 mm.');
});
