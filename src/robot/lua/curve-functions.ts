import { ageInDays, curveValue } from '../../core/growth.ts';
import { isObject, objectOf } from '../../core/json.ts';
import type { GardenReader, GardenRecord } from '../garden-reader.ts';
import { createNode, numberOf, type RobotNode, StepError } from '../nodes.ts';
import { sayOfFunction } from './function-messages.ts';
import { type LuaFunction, type LuaScript, optionsOf, type SomeLuaFunctions, tableOf } from './lua-function.ts';
import { say, toastProblem } from './message-functions.ts';
import { moveTo } from './movement-functions.ts';
import { dispense, findNozzle } from './tool-functions.ts';

/** Returns a curve; undefined if it does not exist. */
async function findCurve(id: unknown, garden: GardenReader): Promise<GardenRecord | undefined> {
  if (typeof id !== 'number' || !Number.isInteger(id)) return undefined;
  return (await garden.list('curves')).find((each) => each.id === id);
}

/** Returns a curve with its values by day, from which robot-functions.lua makes `day`. */
async function getCurve(call: RobotNode, script: LuaScript): Promise<unknown> {
  const curve = await findCurve(call.args.id, script.context.garden);
  if (!curve) return toastProblem(script, sayOfFunction.noCurve);
  const { name, type, data } = curve;
  return { name, type, unit: type === 'water' ? 'mL' : 'mm', data };
}

/** Returns the age of a plant, in days; null if it was not planted. */
function ageOf({ args }: RobotNode, { context: { clock } }: LuaScript): number | null {
  const { age, planted_at } = args;
  return typeof age === 'number' ? age : ageInDays(planted_at, clock.now());
}

/** Waters a plant according to its curve. */
async function water(call: RobotNode, script: LuaScript): Promise<void> {
  const { context } = script;
  const [plant, options] = [tableOf(call, 'plant'), optionsOf(call, 'options')];
  const name = String(plant.args.name);
  const [x, y] = [numberOf(plant, 'x'), numberOf(plant, 'y')];
  const age = ageOf(plant, script);
  if (age === null) return toastProblem(script, sayOfFunction.notPlanted(name, x, y), 'warn');
  if (typeof plant.args.water_curve_id !== 'number')
    return toastProblem(script, sayOfFunction.noWaterCurve(name, x, y), 'warn');
  const nozzle = await findNozzle(options, script, 'warn');
  if (!nozzle) return;
  const curve = await findCurve(plant.args.water_curve_id, context.garden);
  if (!curve) {
    await toastProblem(script, sayOfFunction.noCurve);
    throw new StepError('The water curve of the plant does not exist.');
  }
  const milliliters = curveValue(objectOf(curve.data), age) ?? 0;
  const job = `Watering ${name}`;
  const show = (percent: number, status: string) => context.jobs.set(job, { percent, status });
  const offset = (axis: string) => Number(nozzle[`effector_offset_${axis}`] ?? 0);
  show(0, 'Moving');
  await moveTo({ x: x - offset('x'), y: y - offset('y'), z: context.account.height('safe_height') }, script);
  show(50, 'Watering');
  await say(script, 'info', sayOfFunction.watering(age, name, milliliters), []);
  await dispense(milliliters, options, script);
  show(100, 'Complete');
}

/** `day` of a curve. */
export const dayOfCurve: LuaFunction = (call) => {
  const { data } = call.args;
  return (
    curveValue(isObject(data) ? data : {}, numberOf(createNode('day', { day: Number(call.args.day) }), 'day')) ?? 0
  );
};

/** Curves, and watering by them. */
export const curveFunctions = {
  get_curve: getCurve,
  get_raw_curve: async (call, { context: { garden } }) => {
    const curve = await findCurve(tableOf(call, 'curve').args.id, garden);
    return curve && { id: curve.id, name: curve.name, type: curve.type, data: curve.data };
  },
  water,
} satisfies SomeLuaFunctions;
