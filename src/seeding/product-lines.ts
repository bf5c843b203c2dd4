import type { RowOf } from '../db/table.ts';
import type { firmwareHardware } from '../device/fbos-config.ts';
import type { firmwareConfig } from '../device/firmware-config.ts';
import type { pinBindings } from '../garden/pin-bindings.ts';
import { grid } from './programs/grid.ts';
import { mowAllWeeds } from './programs/mowing.ts';
import type { SeedProgram } from './programs/nodes.ts';
import { photoGrid, soilHeightGrid, takePhotoOfPlant, weedDetectionGrid } from './programs/photos.ts';
import {
  pickFromSeedBin,
  pickFromSeedTray,
  pickFromSeedTrough,
  pickUpSeed,
  plantSeedOnExpress,
  plantSeedOnGenesis,
} from './programs/planting.ts';
import { dismountTool, findHomeOnExpress, findHomeOnGenesis, mountTool } from './programs/tools.ts';
import { dispenseWater, waterAll, waterAllPlants, waterPlant } from './programs/watering.ts';

/** The properties that robots of one frame share. Lengths in mm. */
export interface Frame {
  readonly deviceName: string;
  /** The bed of demo gardens, see demo-crops.ts. */
  readonly bed: 'standard' | 'genesis_xl' | 'express_xl';
  /** The image that a demo shows as its webcam feed. */
  readonly webcam: { readonly name: string; readonly url: string };
  readonly gantryHeight: number;
  readonly map: readonly [x: number, y: number];
  readonly hidesSensors: boolean;
  readonly firmware: Partial<RowOf<typeof firmwareConfig>>;
  readonly sensors: readonly SeedSensor[];
}

interface SeedSensor {
  readonly label: string;
  readonly pin: number;
  /** 0 digital, 1 analog. */
  readonly mode: 0 | 1;
}

/** A tool slot: in the tool bay, or a seed trough's on the gantry. */
export interface SeedSlot {
  readonly tool: string;
  readonly at: readonly [x: number, y: number, z: number];
  readonly kind: 'bay' | 'trough';
}

interface SeedBinding {
  readonly pin: number;
  readonly action: NonNullable<RowOf<typeof pinBindings>['special_action']>;
}

/** A product line with the equipment of its robots. */
export interface ProductLine {
  readonly line: string;
  readonly frame: Frame;
  readonly board: (typeof firmwareHardware)[number];
  /** Pins by peripheral, in order of creation. */
  readonly pins: Readonly<Record<string, number>>;
  readonly tools: readonly string[];
  readonly slots: readonly SeedSlot[];
  readonly programs: readonly SeedProgram[];
  readonly buttons: readonly SeedBinding[];
  /** Farmware envs by key. */
  readonly envs: Readonly<Record<string, string>>;
}

/** A value of `product_line`. */
export type ProductOption =
  | ProductLine
  /** No robot: nothing is created. */
  | { readonly line: string; readonly frame: null }
  /** Another line's robot with this many records of each kind. For demos only. */
  | { readonly line: string; readonly like: ProductLine; readonly stress: number };

// The components of product lines. [rule S5]

const genesisFirmware: Frame['firmware'] = { movement_motor_current_x: 1646 };
const expressFirmware: Frame['firmware'] = {
  encoder_enabled_z: 0,
  movement_max_spd_y: 900,
  movement_min_spd_x: 300,
  movement_min_spd_y: 300,
  movement_home_spd_y: 500,
  movement_steps_acc_dec_x: 250,
  movement_steps_acc_dec_y: 250,
  encoder_missed_steps_max_x: 70,
  encoder_missed_steps_max_y: 60,
  encoder_missed_steps_max_z: 70,
  encoder_missed_steps_decay_x: 100,
  encoder_missed_steps_decay_y: 100,
  encoder_missed_steps_decay_z: 100,
};

const genesisSensors: readonly SeedSensor[] = [
  { label: 'Soil Sensor', pin: 59, mode: 1 },
  { label: 'Tool Verification', pin: 63, mode: 0 },
];

const pictures = '/app-resources/img/demo_accounts';

const genesis: Frame = {
  deviceName: 'FarmBot Genesis',
  bed: 'standard',
  webcam: { name: 'Genesis', url: `${pictures}/Genesis_Demo_Webcam.jpg` },
  gantryHeight: 120,
  map: [2900, 1230],
  hidesSensors: false,
  firmware: genesisFirmware,
  sensors: genesisSensors,
};
const genesisXl: Frame = {
  ...genesis,
  deviceName: 'FarmBot Genesis XL',
  bed: 'genesis_xl',
  webcam: { name: 'Genesis XL', url: `${pictures}/Genesis_XL_Demo_Webcam.jpg` },
  map: [5900, 2730],
};
const express: Frame = {
  deviceName: 'FarmBot Express',
  bed: 'standard',
  webcam: { name: 'Express', url: `${pictures}/Express_Demo_Webcam.JPG` },
  gantryHeight: 140,
  map: [2900, 930],
  hidesSensors: true,
  firmware: expressFirmware,
  sensors: [],
};
const expressXl: Frame = {
  ...express,
  deviceName: 'FarmBot Express XL',
  bed: 'express_xl',
  webcam: { name: 'Express XL', url: `${pictures}/Express_XL_Demo_Webcam.JPG` },
  map: [5900, 2130],
};

const pins2 = { Vacuum: 10, Water: 9 };
const pins3 = { Vacuum: 9, Water: 8, Lighting: 7 };
const pins5 = { ...pins3, 'Peripheral 4': 10, 'Peripheral 5': 12 };
const pins7 = { ...pins5, 'Rotary Tool': 2, 'Rotary Tool Reverse': 3 };

const estop: readonly SeedBinding[] = [
  { pin: 16, action: 'emergency_lock' },
  { pin: 22, action: 'emergency_unlock' },
];

const tools12 = ['Seed Bin', 'Seed Tray', 'Seeder', 'Soil Sensor', 'Watering Nozzle', 'Weeder'];
const troughs = ['Seed Trough 1', 'Seed Trough 2'];
const tools15 = ['Seed Bin', 'Seed Tray', ...troughs, 'Seeder', 'Soil Sensor', 'Watering Nozzle', 'Weeder'];
const tools16 = [...tools15, 'Rotary Tool'];
const tools17 = ['Seed Bin', 'Seed Tray', ...troughs, 'Seeder', 'Soil Sensor', 'Watering Nozzle', 'Rotary Tool'];
const toolsExpress = [...troughs, 'Watering Nozzle'];

/** Returns a slot in the tool bay. */
const bay = (tool: string, y: number): SeedSlot => ({ tool, at: [6, y, -340], kind: 'bay' });
const slotsOfTroughs: readonly SeedSlot[] = [
  { tool: 'Seed Trough 1', at: [0, 0, -300], kind: 'trough' },
  { tool: 'Seed Trough 2', at: [0, 25, -300], kind: 'trough' },
];

const seeds = [bay('Seeder', 200), bay('Seed Bin', 300), bay('Seed Tray', 400)];
const wet = [...seeds, bay('Watering Nozzle', 600), bay('Soil Sensor', 700)];
const slots12 = [...wet, bay('Weeder', 800)];
const slots15 = [...slots12, ...slotsOfTroughs];
const slots16 = [...slots12, bay('Rotary Tool', 900), ...slotsOfTroughs];
const slots17 = [...wet, bay('Rotary Tool', 800), ...slotsOfTroughs];
const slots19 = [...seeds, bay('Soil Sensor', 500), bay('Rotary Tool', 600), ...slotsOfTroughs];

const onBoth = [
  takePhotoOfPlant,
  waterPlant,
  waterAllPlants,
  waterAll,
  photoGrid,
  weedDetectionGrid,
  soilHeightGrid,
  grid,
  dispenseWater,
];
const seedPicking = [pickFromSeedTray, pickFromSeedTrough, pickFromSeedBin];
const programs12 = [mountTool, dismountTool, plantSeedOnGenesis, findHomeOnGenesis, ...onBoth, ...seedPicking];
const programs16 = [
  mountTool,
  dismountTool,
  plantSeedOnGenesis,
  findHomeOnGenesis,
  ...onBoth,
  mowAllWeeds,
  ...seedPicking,
];
const programsExpress = [pickUpSeed, plantSeedOnExpress, findHomeOnExpress, ...onBoth];

/** Dimensions of the robot in the 3D view, in mm. */
const beam = (length: number) => ({ '3D_beamLength': String(length) });
const tall = { '3D_zAxisLength': '800' };

const old = { pins: pins5, tools: tools12, slots: slots12, programs: programs12, buttons: estop };
const v12 = { ...old, pins: pins2, buttons: [] };
const v13 = { ...old, buttons: [] };
const v15 = { ...old, tools: tools15, slots: slots15 };
const v16 = { pins: pins7, tools: tools16, slots: slots16, programs: programs16, buttons: estop };
const v17 = { ...v16, tools: tools17, slots: slots17 };
const v19 = { ...v17, slots: slots19 };
const small = { pins: pins3, tools: toolsExpress, slots: slotsOfTroughs, programs: programsExpress, buttons: estop };

const genesisXl18: ProductLine = {
  line: 'genesis_xl_1.8',
  frame: genesisXl,
  board: 'farmduino_k18',
  envs: beam(3000),
  ...v17,
};

/** All product lines. [rule S2, S12] */
export const productOptions: readonly ProductOption[] = [
  { line: 'express_1.0', frame: express, board: 'express_k10', envs: beam(1200), ...small },
  { line: 'express_1.1', frame: express, board: 'express_k11', envs: beam(1200), ...small },
  { line: 'express_1.2', frame: express, board: 'express_k12', envs: beam(1200), ...small },
  { line: 'express_xl_1.0', frame: expressXl, board: 'express_k10', envs: beam(2400), ...small },
  { line: 'express_xl_1.1', frame: expressXl, board: 'express_k11', envs: beam(2400), ...small },
  { line: 'express_xl_1.2', frame: expressXl, board: 'express_k12', envs: beam(2400), ...small },
  { line: 'genesis_1.2', frame: genesis, board: 'arduino', envs: {}, ...v12 },
  { line: 'genesis_1.3', frame: genesis, board: 'farmduino', envs: {}, ...v13 },
  { line: 'genesis_1.4', frame: genesis, board: 'farmduino_k14', envs: {}, ...old },
  { line: 'genesis_1.5', frame: genesis, board: 'farmduino_k15', envs: {}, ...v15 },
  { line: 'genesis_1.6', frame: genesis, board: 'farmduino_k16', envs: {}, ...v16 },
  { line: 'genesis_1.7', frame: genesis, board: 'farmduino_k17', envs: {}, ...v17 },
  { line: 'genesis_1.8', frame: genesis, board: 'farmduino_k18', envs: {}, ...v17 },
  { line: 'genesis_1.9', frame: genesis, board: 'farmduino_k19', envs: tall, ...v19 },
  { line: 'genesis_xl_1.4', frame: genesisXl, board: 'farmduino_k14', envs: beam(3000), ...old },
  { line: 'genesis_xl_1.5', frame: genesisXl, board: 'farmduino_k15', envs: beam(3000), ...v15 },
  { line: 'genesis_xl_1.6', frame: genesisXl, board: 'farmduino_k16', envs: beam(3000), ...v16 },
  { line: 'genesis_xl_1.7', frame: genesisXl, board: 'farmduino_k17', envs: beam(3000), ...v17 },
  genesisXl18,
  { line: 'genesis_xl_1.9', frame: genesisXl, board: 'farmduino_k19', envs: { ...beam(3000), ...tall }, ...v19 },
  { line: 'none', frame: null },
  { line: 'genesis_xl_1.8_stress_250', like: genesisXl18, stress: 250 },
  { line: 'genesis_xl_1.8_stress_500', like: genesisXl18, stress: 500 },
  { line: 'genesis_xl_1.8_stress_750', like: genesisXl18, stress: 750 },
  { line: 'genesis_xl_1.8_stress_1000', like: genesisXl18, stress: 1000 },
];

/** The robots that a person can choose for a garden. */
export const robotChoices = productOptions.flatMap((option) =>
  'board' in option
    ? [{ line: option.line, model: option.frame.deviceName, version: option.line.split('_').at(-1) ?? '' }]
    : [],
);

/** The records that seeding creates for a product line. */
export interface SeedPlan {
  /** Null: no robot. */
  readonly product: ProductLine | null;
  /** Number of stress test records of each kind; 0 for none. */
  readonly stressCount: number;
}

/** Finds a product line by name. */
export function findSeedPlan(line: string): SeedPlan | undefined {
  const offer = productOptions.find((one) => one.line === line);
  if (!offer) return undefined;
  if ('stress' in offer) return { product: offer.like, stressCount: offer.stress };
  return { product: offer.frame ? offer : null, stressCount: 0 };
}

/** The product line for unknown names. [rule S8] */
export const noProductLine = 'none';
