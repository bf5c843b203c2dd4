import { knownPeripheralType, knownSensorType, knownToolFields } from '../core/known-equipment.ts';
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

/** The initial groups of each garden. [rule S4] */
const groupsOfAll = [
  { name: 'All plants', string_eq: { pointer_type: ['Plant'] } },
  { name: 'All points', string_eq: { pointer_type: ['GenericPointer'] } },
  { name: 'All weeds', string_eq: { pointer_type: ['Weed'] } },
];

/** Creates a group by criteria, sorted in alternating rows. */
export async function ensureGroup(seeder: GardenSeeder, name: string, string_eq: object): Promise<number> {
  const criteria = { day: { op: '<', days_ago: 0 }, string_eq, number_eq: {}, number_lt: {}, number_gt: {} };
  const { id } = await seeder.ensure(pointGroups, { name }, { name, sort_type: 'yx_alternating', criteria }, (texts) =>
    texts.group(seeder.inWords(name)),
  );
  return id;
}

/** Creates a farmware env unless its key exists. */
export async function ensureEnv(seeder: GardenSeeder, key: string, value: string): Promise<void> {
  await seeder.ensure(farmwareEnvs, { key }, { key, value }, (texts) => texts.setting(key));
}

/** Fields of tool slots by kind. [rule S6] */
const slotKinds = {
  bay: { pullout_direction: 1, gantry_mounted: false, mount_stage: 0 },
  trough: { pullout_direction: 0, gantry_mounted: true, mount_stage: 1 },
} as const;

async function ensureSlot(
  seeder: GardenSeeder,
  { tool, at: [x, y, z], kind }: SeedSlot,
  tool_id: number,
): Promise<void> {
  if ((await seeder.scope.count(points, { where: { tool_id } })) === 0) await seeder.reservePoints(1);
  const body = { pointer_type: 'ToolSlot', name: 'Slot', x, y, z, radius: 25, tool_id, ...slotKinds[kind] };
  await seeder.ensure(points, { tool_id }, body, (texts) => texts.slot(seeder.inWords(tool)));
}

/** Creates a robot's records except programs and returns lookups of their ids by name. [rule S3] */
export async function seedRobot(seeder: GardenSeeder, product: ProductLine): Promise<Omit<Names, 'sequence'>> {
  const groupIds = new Map<string, number>();
  for (const { name, string_eq } of groupsOfAll) groupIds.set(name, await ensureGroup(seeder, name, string_eq));
  const pinIds = new Map<string, number>();
  for (const [label, pin] of Object.entries(product.pins)) {
    const { id } = await seeder.ensure(
      peripherals,
      { pin },
      { pin, label, type: knownPeripheralType(pin, product.board) },
      (texts) => texts.peripheral(pin),
    );
    pinIds.set(label, id);
  }
  for (const { pin, action } of product.buttons) {
    const body = { pin_num: pin, special_action: action };
    await seeder.ensure(pinBindings, { pin_num: pin }, body, (texts) => texts.binding(pin));
  }
  const sensorIds = new Map<string, number>();
  for (const sensor of product.frame.sensors) {
    const body = { ...sensor, type: knownSensorType(sensor.pin) };
    const { id } = await seeder.ensure(sensors, { pin: sensor.pin }, body, (texts) => texts.sensor(sensor.pin));
    sensorIds.set(sensor.label, id);
  }
  await applySettings(seeder.scope, product);
  for (const [key, value] of Object.entries(product.envs)) await ensureEnv(seeder, key, value);
  const toolIds = new Map<string, number>();
  for (const name of product.tools) {
    const { id } = await seeder.ensure(tools, { name }, { name, ...knownToolFields({ name }) }, (texts) =>
      texts.tool(seeder.inWords(name)),
    );
    toolIds.set(name, id);
  }
  for (const slot of product.slots) await ensureSlot(seeder, slot, idIn(toolIds, slot.tool));
  return {
    group: (name) => idIn(groupIds, name),
    peripheral: (label) => idIn(pinIds, label),
    sensor: (label) => idIn(sensorIds, label),
    tool: (name) => idIn(toolIds, name),
  };
}

/** Returns the id for a name. Throws an Error if the table of product lines is inconsistent. */
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
