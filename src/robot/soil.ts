import { interpolated, minSoilHeights, soilHeights } from '../core/soil-height.ts';
import { sayOfRobot } from './log-messages.ts';
import { coordinatesOf, type Vector } from './nodes.ts';
import type { StepContext } from './step-context.ts';

/** The unevenness of the simulated soil, in mm. */
const bump = 8;

/** Returns the height of the simulated soil, which is always the same at one place. */
const simulatedHeight = ({ x, y }: Vector, mean: number): number =>
  Math.round((mean + bump * Math.sin(x / 400) + bump * Math.cos(y / 300)) * 100) / 100;

/** Measures the soil below the robot and stores it as a point. Throws `RobotError`. [rule R19] */
export async function measureSoilHeight({ machine, account, api, actions }: StepContext): Promise<void> {
  const { x, y } = machine.position;
  const z = simulatedHeight(machine.position, account.height('soil_height'));
  const meta = { created_by: 'measure-soil-height', at_soil_level: 'true', color: 'gray' };
  await api.request('POST', '/api/points', {
    pointer_type: 'GenericPointer',
    name: 'Soil Height',
    x,
    y,
    z,
    radius: 0,
    meta,
  });
  actions.log('info', sayOfRobot.soil(coordinatesOf({ x, y, z })), { verbosity: 2 });
}

/** Returns the height of the soil between the measured points; null if there are fewer than three. [rule R22] */
async function measuredHeightAt(x: number, y: number, { garden }: StepContext): Promise<number | null> {
  const heights = soilHeights(await garden.list('points'));
  return heights.length < minSoilHeights ? null : interpolated(heights, x, y);
}

/** Returns the height of the soil between the measured points, or the account's soil height if they are too few. */
export const soilHeightAt = async (x: number, y: number, context: StepContext): Promise<number> =>
  (await measuredHeightAt(x, y, context)) ?? context.account.height('soil_height');

/** Returns the height of the soil for a program, and logs it if it is not measured. */
export async function soilHeightFor(x: number, y: number, context: StepContext): Promise<number> {
  const measured = await measuredHeightAt(x, y, context);
  if (measured !== null) return measured;
  const height = context.account.height('soil_height');
  context.actions.log('warn', sayOfRobot.fewSoilHeights(minSoilHeights, height), { verbosity: 3 });
  return height;
}
