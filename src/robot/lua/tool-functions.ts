import { isObject, objectOf } from '../../core/json.ts';
import type { GardenRecord } from '../garden-reader.ts';
import { createNode, integerOf, numberOf, type RobotNode, StepError, type Vector, vectorOf } from '../nodes.ts';
import { maxPin } from '../pins.ts';
import { maxWait } from '../steps.ts';
import { type LuaFunctions, type LuaScript, tableOf, wordsOf } from './lua-function.ts';
import { say } from './message-functions.ts';
import { moveStep } from './movement-functions.ts';

/** How far a tool is pulled out of its slot, in mm. */
const pullout = 100;
/** The direction in which a slot's tool is pulled out, by the field `pullout_direction`. */
const directions: readonly Vector[] = [
  { x: 0, y: 0, z: 0 },
  { x: 1, y: 0, z: 0 },
  { x: -1, y: 0, z: 0 },
  { x: 0, y: 1, z: 0 },
  { x: 0, y: -1, z: 0 },
];

/** The distance of the cells of a seed tray, in mm. It has 4 by 4 cells, A1 to D4. */
const cellSpacing = 12.5;
/** The pin that opens the valve, if no peripheral is named Water. */
const defaultWaterPin = 8;
/** Maximum time for which the valve is open, in ms. */
const maxDispensing = 60 * 60_000;

/** Returns the id of the mounted tool; null if there is none. */
async function mountedTool({ context: { garden } }: LuaScript): Promise<number | null> {
  const { mounted_tool_id } = await garden.record('/api/device', 'device');
  return typeof mounted_tool_id === 'number' ? mounted_tool_id : null;
}

async function findTool({ context: { garden } }: LuaScript, matches: (tool: GardenRecord) => boolean) {
  return (await garden.list('tools')).find(matches);
}

/** Returns the id of a tool that is named, or given as a table with its id. */
async function toolIdOf(call: RobotNode, script: LuaScript): Promise<number> {
  const { tool } = call.args;
  if (isObject(tool)) {
    const id = tool.tool_id ?? tool.id;
    if (typeof id === 'number') return id;
    throw new StepError(`"${call.kind}" needs a tool.`);
  }
  const name = wordsOf(call, 'tool');
  const found = await findTool(script, (each) => each.name === name);
  if (typeof found?.id !== 'number') throw new StepError(`There is no tool "${name}".`);
  return found.id;
}

/** Moves into a slot from above and out of it sideways, or the other way round. */
async function visitSlot(tool: number, { context, run }: LuaScript, enters: 'from above' | 'sideways'): Promise<void> {
  const slot = await context.garden.slotRecord(tool);
  const at = vectorOf(createNode('tool slot', slot.gantry_mounted ? { ...slot, x: context.machine.position.x } : slot));
  const direction = directions[Number(slot.pullout_direction)] ?? directions[0];
  const outside = { x: at.x + pullout * (direction?.x ?? 0), y: at.y + pullout * (direction?.y ?? 0), z: at.z };
  const above = { ...at, z: context.account.height('safe_height') };
  if (enters === 'from above') {
    await run(moveStep({ ...above, safe_z: true }));
    await run(moveStep({ ...at, speed: 50 }));
    await run(moveStep({ ...outside, speed: 50 }));
  } else {
    await run(moveStep({ ...outside, safe_z: true }));
    await run(moveStep({ ...at, speed: 50 }));
    await run(moveStep({ ...above, speed: 50 }));
  }
}

/** The name of the valve in seeded gardens, by their language. */
const waterLabels: readonly string[] = ['Water', 'Eau'];

async function waterPin({ context: { garden } }: LuaScript): Promise<number> {
  const water = (await garden.list('peripherals')).find(({ label }) => waterLabels.includes(String(label)));
  return typeof water?.pin === 'number' ? water.pin : defaultWaterPin;
}

/** Opens the valve until the tool has dispensed an amount. Returns whether it could. */
export async function dispense(milliliters: number, options: RobotNode['args'], script: LuaScript): Promise<boolean> {
  const name = options.tool_name ?? 'Watering Nozzle';
  const tool = await findTool(script, (each) => each.name === name);
  const rate = Number(tool?.flow_rate_ml_per_s ?? 0);
  if (!(rate > 0)) {
    await say(script, 'error', `Set the flow rate of the tool "${String(name)}" first.`, ['toast']);
    return false;
  }
  const pin_number =
    options.pin === undefined ? await waterPin(script) : integerOf(createNode('dispense', options), 'pin', 0, maxPin);
  const milliseconds = Math.round((milliliters / rate) * 1000);
  if (!(milliseconds >= 0 && milliseconds <= maxDispensing))
    throw new StepError(`"dispense" takes at most ${maxDispensing / 60_000} minutes.`);
  const valve = (pin_value: 0 | 1) => script.run(createNode('write_pin', { pin_number, pin_mode: 0, pin_value }));
  await valve(1);
  for (let left = milliseconds; left > 0; left -= maxWait)
    await script.run(createNode('wait', { milliseconds: Math.min(left, maxWait) }));
  await valve(0);
  return true;
}

/** Tools and their functions. */
export const toolFunctions: LuaFunctions = {
  get_tool: {
    takes: '{}',
    run: ({ args }, script) =>
      findTool(script, ({ id, name }) => (args.id === undefined ? name === args.name : id === args.id)),
  },
  verify_tool: {
    takes: '',
    run: async (_call, script) => {
      if ((await mountedTool(script)) !== null) return true;
      await say(script, 'error', 'No tool is mounted.', ['toast']);
      return false;
    },
  },
  mount_tool: {
    takes: 'tool',
    run: async (call, script) => {
      const id = await toolIdOf(call, script);
      const mounted = await mountedTool(script);
      if (mounted !== null) {
        await say(script, 'error', 'Another tool is mounted: dismount it first.', ['toast']);
        return false;
      }
      await visitSlot(id, script, 'from above');
      await script.context.api.request('PATCH', '/api/device', { mounted_tool_id: id });
      return true;
    },
  },
  dismount_tool: {
    takes: '',
    run: async (_call, script) => {
      const mounted = await mountedTool(script);
      if (mounted === null) {
        await say(script, 'error', 'No tool is mounted.', ['toast']);
        return false;
      }
      await visitSlot(mounted, script, 'sideways');
      await script.context.api.request('PATCH', '/api/device', { mounted_tool_id: null });
      return true;
    },
  },
  dispense: {
    takes: 'milliliters options',
    run: (call, script) => dispense(numberOf(call, 'milliliters'), objectOf(call.args.options), script),
  },
  get_seed_tray_cell: {
    takes: 'tray cell',
    run: (call) => {
      const tray = tableOf(call, 'tray');
      const { x, y, z } = vectorOf(tray);
      const [, row = '', column = ''] = /^([A-D])([1-4])$/.exec(wordsOf(call, 'cell').toUpperCase()) ?? [];
      if (row === '') throw new StepError('A cell of a seed tray is one of A1 to D4.');
      // The position of the tray is its middle's; its rows follow the direction in which it is pulled out.
      const side = tray.args.pullout_direction === 2 ? -1 : 1;
      const offset = (index: number) => side * (index - 1.5) * cellSpacing;
      return { x: x - offset('ABCD'.indexOf(row)), y: y + offset(Number(column) - 1), z };
    },
  },
};
