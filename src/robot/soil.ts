import { interpolated, minSoilHeights, soilHeights } from '../core/soil-height.ts';
import { sayOfRobot } from './log-messages.ts';
import { coordinatesOf, type Vector } from './nodes.ts';
import type { StepContext } from './step-context.ts';

/** How uneven the simulated soil is, in mm. */
const bump = 8;

/** Returns the height of the simulated soil, which is always the same at one place. */
const simulatedHeight = ({ x, y }: Vector, mean: number): number =>
  Math.round((mean + bump * Math.sin(x / 400) + bump * Math.cos(y / 300)) * 100) / 100;

const day = 86_400_000;

/** Returns the value of an analog sensor in the simulated soil: 450 at the origin, drier and wetter places around it, which change slowly over the day. `now` in ms since the epoch. */
export function moistureAt({ x, y }: Vector, now: number): number {
  const contrast = 1 + 0.3 * Math.sin((2 * Math.PI * now) / day);
  return Math.round(450 + contrast * (120 * Math.sin(x / 350) + 90 * Math.sin(y / 280)));
}

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

/** Returns the height of the soil between the measured points, or the account's soil height if there are fewer than three. [rule R22] */
export async function soilHeightAt(x: number, y: number, { garden, account, actions }: StepContext): Promise<number> {
  const heights = soilHeights(await garden.list('points'));
  if (heights.length >= minSoilHeights) return interpolated(heights, x, y);
  const height = account.height('soil_height');
  actions.log('warn', sayOfRobot.fewSoilHeights(minSoilHeights, height), { verbosity: 3 });
  return height;
}
