import type { DeviceScope } from '../db/scope.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { fbosConfig } from '../device/fbos-config.ts';
import { firmwareConfig } from '../device/firmware-config.ts';
import { webAppConfig } from '../device/web-app-config.ts';
import { updateRecord } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { farmwareEnvs } from '../garden/farmware-envs.ts';
import { peripherals } from '../garden/peripherals.ts';
import { pinBindings } from '../garden/pin-bindings.ts';
import { pointGroups } from '../garden/point-groups.ts';
import { points } from '../garden/points.ts';
import { sensors } from '../garden/sensors.ts';
import { tools } from '../garden/tools.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import type { ProductLine, SeedSlot } from './product-lines.ts';
import type { Names } from './programs/nodes.ts';

/** The groups that every garden begins with: one for each kind of point. [reference 5.4] */
const groupsOfAll = [
  { name: 'All plants', string_eq: { pointer_type: ['Plant'] } },
  { name: 'All points', string_eq: { pointer_type: ['GenericPointer'] } },
  { name: 'All weeds', string_eq: { pointer_type: ['Weed'] } },
];

/** A group by what its points are: any age, in rows to and fro. */
export async function ensureGroup(bed: GardenSeeder, name: string, string_eq: object): Promise<number> {
  const criteria = { day: { op: '<', days_ago: 0 }, string_eq, number_eq: {}, number_lt: {}, number_gt: {} };
  const { id } = await bed.ensure(
    pointGroups,
    { name },
    { name, sort_type: 'yx_alternating', criteria },
    `the group '${name}'`,
  );
  return id;
}

/** A farmware env, unless its key is there. */
export async function ensureEnv(bed: GardenSeeder, key: string, value: string): Promise<void> {
  await bed.ensure(farmwareEnvs, { key }, { key, value }, `the setting '${key}'`);
}

/** Slots of both kinds, as points have them. [reference 5.8] */
const slotKinds = {
  bay: { pullout_direction: 1, gantry_mounted: false },
  trough: { pullout_direction: 0, gantry_mounted: true },
} as const;

async function ensureSlot(bed: GardenSeeder, { tool, at: [x, y, z], kind }: SeedSlot, tool_id: number): Promise<void> {
  if ((await bed.scope.count(points, { where: { tool_id } })) === 0) await bed.reservePoints(1);
  const body = { pointer_type: 'ToolSlot', name: 'Slot', x, y, z, radius: 25, tool_id, ...slotKinds[kind] };
  await bed.ensure(points, { tool_id }, body, `the slot of the tool '${tool}'`);
}

/** Everything of a robot but its programs, in the order of the reference. Gives the names under which programs find it. [reference 5.3] */
export async function seedRobot(bed: GardenSeeder, product: ProductLine): Promise<Omit<Names, 'sequence'>> {
  const groupIds = new Map<string, number>();
  for (const { name, string_eq } of groupsOfAll) groupIds.set(name, await ensureGroup(bed, name, string_eq));
  const pinIds = new Map<string, number>();
  for (const [label, pin] of Object.entries(product.pins)) {
    const { id } = await bed.ensure(peripherals, { pin }, { pin, label }, `the peripheral at pin ${pin}`);
    pinIds.set(label, id);
  }
  for (const { pin, action } of product.buttons) {
    const body = { pin_num: pin, special_action: action };
    await bed.ensure(pinBindings, { pin_num: pin }, body, `the binding of pin ${pin}`);
  }
  for (const sensor of product.frame.sensors)
    await bed.ensure(sensors, { pin: sensor.pin }, { ...sensor }, `the sensor at pin ${sensor.pin}`);
  await applySettings(bed.scope, product);
  for (const [key, value] of Object.entries(product.envs)) await ensureEnv(bed, key, value);
  const toolIds = new Map<string, number>();
  for (const name of product.tools) {
    const { id } = await bed.ensure(tools, { name }, { name }, `the tool '${name}'`);
    toolIds.set(name, id);
  }
  for (const slot of product.slots) await ensureSlot(bed, slot, idIn(toolIds, slot.tool));
  return {
    group: (name) => idIn(groupIds, name),
    peripheral: (label) => idIn(pinIds, label),
    tool: (name) => idIn(toolIds, name),
  };
}

/** The id under a name. Throws an Error: the table of product lines says something that it does not have. */
export function idIn(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the product line has no ${name}`);
  return id;
}

async function applySettings(scope: DeviceScope, { frame, board }: ProductLine): Promise<void> {
  const [map_size_x, map_size_y] = frame.map;
  await updateRecord(scope, webAppConfig, await loadSingleton(scope, webAppConfig), {
    map_size_x,
    map_size_y,
    ...(frame.hidesSensors && { hide_sensors: true }),
  });
  await changeDevice(scope, await ownDevice(scope), { name: frame.deviceName });
  await updateRecord(scope, firmwareConfig, await loadSingleton(scope, firmwareConfig), frame.firmware);
  await updateRecord(scope, fbosConfig, await loadSingleton(scope, fbosConfig), {
    firmware_hardware: board,
    gantry_height: frame.gantryHeight,
  });
}
