import type { Message } from '../../core/message.ts';
import type { GardenRecord } from '../garden-reader.ts';
import { createNode, hasArg, integerOf, numberOf, type RobotNode, StepError, type Vector, vectorOf } from '../nodes.ts';
import { maxPin } from '../pins.ts';
import { sayOfFunction } from './function-messages.ts';
import { type LuaScript, optionsOf, type SomeLuaFunctions, tableOf, wordsOf } from './lua-function.ts';
import { say, toastProblem } from './message-functions.ts';
import { moveStraight, moveTo } from './movement-functions.ts';
import { waitWithJob } from './time-functions.ts';

/** How far a tool is pulled out of its slot, in mm. */
const pullout = 100;
/** How far the head rises from a tool that it left in its slot, in mm. */
const rise = 50;
/** The speed at which a tool is pulled out and pushed in, in percent. */
const slowly = 50;
/** The direction in which a slot's tool is pulled out, by the field `pullout_direction`. */
const directions: readonly (Pick<Vector, 'x' | 'y'> | undefined)[] = [
  undefined,
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: 1 },
  { x: 0, y: -1 },
];

/** The distance of the cells of a seed tray, in mm. It has 4 by 4 cells, A1 to D4. */
const cellSpacing = 12.5;
/** How far the needle of the seeder is from the middle of the tool along x, in mm. */
const needleOffset = 17.5;
/** The pin that opens the valve. */
const waterPin = 8;
/** Maximum amount of water, in ml. */
const maxWater = 10_000;

/** The fields of a tool that scripts get. */
const toolFields = [
  ...['id', 'name', 'type', 'utm_mountable', 'effector_offset_x', 'effector_offset_y', 'effector_offset_z'],
  ...['seeder_tip_z_offset', 'flow_rate_ml_per_s'],
] as const;

type ToolQuery = Partial<Readonly<Record<'id' | 'name' | 'type', unknown>>>;

/** Returns the tool with all of these values; undefined if there is none. Throws StepError for several, as robots do. */
async function findTool(query: ToolQuery, { context: { garden } }: LuaScript): Promise<GardenRecord | undefined> {
  const tools = await garden.list('tools');
  const given = (['id', 'name', 'type'] as const).filter((field) => query[field] !== undefined);
  const [found, other] = tools.filter((tool) => given.every((field) => tool[field] === query[field]));
  if (other) throw new StepError(`More than one tool fits: a robot ends the script.`);
  return found && Object.fromEntries(toolFields.map((field) => [field, found[field]]));
}

/** Returns the watering nozzle, or the tool of a name; undefined if there is none, which is shown. */
export async function findNozzle(
  options: RobotNode,
  script: LuaScript,
  severity: 'error' | 'warn',
): Promise<GardenRecord | undefined> {
  const { tool_name } = options.args;
  const found =
    tool_name === undefined
      ? ((await findTool({ type: 'watering_nozzle' }, script)) ??
        // Servers before types of tools.
        (await findTool({ type: undefined, name: 'Watering Nozzle' }, script)))
      : await findTool({ name: tool_name }, script);
  if (!found) {
    const problem = tool_name === undefined ? sayOfFunction.noNozzle : sayOfFunction.noTool(String(tool_name));
    await toastProblem(script, problem, severity);
  }
  return found;
}

async function slotOf(tool: unknown, { context: { garden } }: LuaScript): Promise<GardenRecord | undefined> {
  const points = await garden.list('points');
  return points.find((point) => point.pointer_type === 'ToolSlot' && point.tool_id === tool);
}

/** Returns the reason why a robot cannot visit a slot; null if it can. */
function slotProblem({ pointer_type, pullout_direction, gantry_mounted, mount_stage }: GardenRecord): Message | null {
  if (pointer_type !== 'ToolSlot') return sayOfFunction.noSlot;
  if (!directions[Number(pullout_direction)]) return sayOfFunction.noDirection;
  return gantry_mounted === true || Number(mount_stage ?? 0) !== 0 ? sayOfFunction.movingSlot : null;
}

/** A slot, and the place in front of it. */
function placesOf(slot: GardenRecord) {
  const at = vectorOf(createNode('tool slot', slot));
  const direction = directions[Number(slot.pullout_direction)];
  return { at, front: { ...at, x: at.x + pullout * (direction?.x ?? 0), y: at.y + pullout * (direction?.y ?? 0) } };
}

/** Shows the progress of work on a tool. */
const progressOf = (title: string, { context: { jobs, clock } }: LuaScript) => {
  const time = clock.now();
  return (percent: number, status: string) => jobs.set(title, { percent, status, time });
};

const setMounted = ({ context: { api } }: LuaScript, mounted_tool_id: unknown) =>
  api.request('PATCH', '/api/device', { mounted_tool_id });

async function mountTool(call: RobotNode, script: LuaScript): Promise<unknown> {
  const { context } = script;
  const { tool: wanted } = call.args;
  const fail = (problem: Message) => toastProblem(script, problem);
  const named = typeof wanted === 'string' ? await findTool({ name: wanted }, script) : undefined;
  if (typeof wanted === 'string' && !named) return fail(sayOfFunction.noTool(wanted));
  const slot = named ? await slotOf(named.id, script) : tableOf(call, 'tool').args;
  if (!slot) return fail(sayOfFunction.inNoSlot);
  if ((await context.garden.mountedTool()) !== null) return fail(sayOfFunction.otherMounted);
  const problem = slotProblem(slot);
  if (problem !== null) return fail(problem);
  const tool = slot.tool_id ? await findTool({ id: slot.tool_id }, script) : undefined;
  if (!tool) return fail(sayOfFunction.emptySlot);
  const name = String(tool.name);
  const show = progressOf(`Mounting ${name}`, script);
  const { at, front } = placesOf(slot);
  show(20, 'Moving up');
  await moveTo({ z: context.account.height('safe_height') }, script);
  show(40, 'Moving above the tool');
  await moveTo({ x: at.x, y: at.y }, script);
  show(60, 'Mounting');
  await moveTo({ z: at.z }, script);
  show(80, 'Pulling the tool out');
  await moveStraight(front, slowly, script);
  await setMounted(script, tool.id);
  show(100, 'Complete');
  return say(script, 'success', sayOfFunction.mounted(name), ['toast']);
}

async function dismountTool(_call: RobotNode, script: LuaScript): Promise<unknown> {
  const { context } = script;
  const fail = (problem: Message) => toastProblem(script, problem);
  const id = await context.garden.mountedTool();
  if (id === null) return fail(sayOfFunction.noneMounted);
  if (!(await verifyTool(createNode('verify_tool'), script))) return;
  const [tool, slot] = [await findTool({ id }, script), await slotOf(id, script)];
  const name = String(tool?.name);
  if (!slot) return fail(sayOfFunction.withoutSlot(name));
  const problem = slotProblem(slot);
  if (problem !== null) return fail(problem);
  const show = progressOf(`Dismounting ${name}`, script);
  const { at, front } = placesOf(slot);
  show(20, 'Moving up');
  await moveTo({ z: context.account.height('safe_height') }, script);
  show(40, 'Moving to the front of the slot');
  await moveTo({ x: front.x, y: front.y }, script);
  show(60, 'Moving down');
  await moveTo({ z: at.z }, script);
  show(80, 'Pushing the tool in');
  await moveStraight(at, slowly, script);
  show(90, 'Dismounting');
  await moveTo({ z: at.z + rise }, script);
  await setMounted(script, null);
  show(100, 'Complete');
  return say(script, 'success', sayOfFunction.dismounted(name), ['toast']);
}

/** Returns whether a tool is mounted, and the wanted one. */
async function verifyTool(call: RobotNode, script: LuaScript): Promise<boolean> {
  const fail = async (problem: Message) => {
    await toastProblem(script, problem);
    return false;
  };
  const id = await script.context.garden.mountedTool();
  if (id === null) return fail(sayOfFunction.noneMounted);
  const tool = await findTool({ id }, script);
  if (!tool) return fail(sayOfFunction.missingTool);
  const { args: wanted } = optionsOf(call, 'tool');
  for (const field of ['name', 'type', 'id'] as const)
    if (wanted[field] !== undefined && wanted[field] !== tool[field])
      return fail(sayOfFunction.wrongTool(field, String(wanted[field]), String(tool[field])));
  await say(script, 'success', sayOfFunction.mounted(String(tool.name)), []);
  return true;
}

/** Opens the valve until the nozzle has dispensed an amount. */
export async function dispense(milliliters: number, options: RobotNode, script: LuaScript): Promise<void> {
  const tool = await findNozzle(options, script, 'error');
  if (!tool) return;
  const rate = Number(tool.flow_rate_ml_per_s ?? 0);
  if (!(rate > 0)) return toastProblem(script, sayOfFunction.noFlowRate(String(tool.name)));
  if (milliliters <= 0) return toastProblem(script, sayOfFunction.noWater, 'warn');
  if (milliliters > maxWater) return toastProblem(script, sayOfFunction.muchWater(maxWater));
  const pin_number = hasArg(options, 'pin') ? integerOf(options, 'pin', 0, maxPin) : waterPin;
  const seconds = Math.floor((milliliters / rate) * 10) / 10;
  const job = `Dispensing ${milliliters}mL`;
  await say(script, 'info', sayOfFunction.dispensing(milliliters, seconds), []);
  const valve = (pin_value: 0 | 1) => script.run(createNode('write_pin', { pin_number, pin_mode: 0, pin_value }));
  await valve(1);
  await waitWithJob(seconds * 1000, { job, status: 'Dispensing' }, script);
  await valve(0);
}

async function seedTrayCell(call: RobotNode, script: LuaScript): Promise<unknown> {
  const tray = tableOf(call, 'tray');
  const [, row = '', column = ''] = /^([A-D])([1-4])$/.exec(wordsOf(call, 'cell').toUpperCase()) ?? [];
  if (tray.args.pointer_type !== 'ToolSlot') return toastProblem(script, sayOfFunction.noTrayInSlot);
  if (row === '') return toastProblem(script, sayOfFunction.noCell);
  const side = directions[Number(tray.args.pullout_direction)]?.x ?? 0;
  if (side === 0) return toastProblem(script, sayOfFunction.noTrayDirection);
  const { x, y, z } = vectorOf(tray);
  // The position of the slot is the middle of the tray; its rows follow the direction in which it is pulled out.
  const distance = (index: number) => side * (index - 1.5) * cellSpacing;
  return { x: x - needleOffset - distance('ABCD'.indexOf(row)), y: y + distance(Number(column) - 1), z };
}

/** Tools and their functions. */
export const toolFunctions = {
  get_tool: (call, script) => findTool(tableOf(call, 'tool').args, script),
  get_mounted_tool: async (_call, script) => {
    const id = await script.context.garden.mountedTool();
    return id === null ? null : findTool({ id }, script);
  },
  get_slot_for_tool: async (call, script) => {
    const tool = await findTool(tableOf(call, 'tool').args, script);
    return tool && slotOf(tool.id, script);
  },
  verify_tool: verifyTool,
  mount_tool: mountTool,
  dismount_tool: dismountTool,
  dispense: (call, script) => dispense(numberOf(call, 'milliliters'), optionsOf(call, 'options'), script),
  get_seed_tray_cell: seedTrayCell,
} satisfies SomeLuaFunctions;
