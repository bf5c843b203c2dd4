/** The types of tools, by which robots and the web app choose them. [decision 66] */
export const toolTypes = [
  'none',
  'rotary_tool',
  'seed_bin',
  'seed_tray',
  'seed_trough',
  'seeder',
  'soil_sensor',
  'watering_nozzle',
  'weeder',
] as const;
export const peripheralTypes = ['none', 'lighting', 'rotary_tool', 'vacuum', 'water'] as const;
export const sensorTypes = ['none', 'soil_moisture', 'tool_verification', 'current'] as const;

export type ToolType = (typeof toolTypes)[number];

interface KnownTool {
  readonly type: ToolType;
  /** Parts of its name, in lower case: English, and the French one of seeded gardens. */
  readonly names: readonly string[];
}

/** The tools of kits by their names; the first one that fits counts. Migrations read these tables: rows may be added, but never changed. */
export const knownTools: readonly KnownTool[] = [
  { type: 'rotary_tool', names: ['rotary', 'outil rotatif'] },
  // Without the first letters, which lower() of SQLite leaves in upper case.
  { type: 'weeder', names: ['weeder', 'sherbeur'] },
  { type: 'watering_nozzle', names: ['watering nozzle'] },
  { type: 'seeder', names: ['seeder', 'semoir'] },
  { type: 'soil_sensor', names: ['soil sensor', 'capteur de sol'] },
  { type: 'seed_bin', names: ['seed bin', 'bac à graines'] },
  { type: 'seed_tray', names: ['seed tray', 'plateau à graines'] },
  { type: 'seed_trough', names: ['seed trough', 'auge à graines'] },
];

/** Tools that stay in their places: the robot does not mount them. */
export const unmountableTools: readonly ToolType[] = ['seed_bin', 'seed_tray', 'seed_trough'];

/** The distance of the working tip in x, in mm. */
export const effectorX: Partial<Record<ToolType, number>> = { seeder: 17.5 };
/** The distance of the working tip in z, in mm: it hangs below the head. A seeder has it as `seeder_tip_z_offset`. */
export const effectorZ: Partial<Record<ToolType, number>> = { rotary_tool: -80, soil_sensor: -60 };

type Types<T extends string> = Readonly<Record<number, Exclude<T, 'none'>>>;

/** The peripherals of kits by pin. */
export const peripheralsByPin: Types<(typeof peripheralTypes)[number]> = {
  2: 'rotary_tool',
  3: 'rotary_tool',
  7: 'lighting',
  8: 'water',
  9: 'vacuum',
};
/** The same of robots whose `firmware_hardware` is `arduino`. */
export const peripheralsOfArduino: Types<(typeof peripheralTypes)[number]> = { 9: 'water', 10: 'vacuum' };
/** The sensors of kits by pin. */
export const sensorsByPin: Types<(typeof sensorTypes)[number]> = {
  54: 'current',
  55: 'current',
  56: 'current',
  57: 'current',
  58: 'current',
  59: 'soil_moisture',
  60: 'current',
  63: 'tool_verification',
};

/** A record as it was sent. */
type Sent = Readonly<Record<string, unknown>>;

/** Returns the fields of a tool that follow from its name: of seeded tools, and of records that are older than the fields. */
export function knownToolFields({ name, seeder_tip_z_offset }: Sent) {
  const words = typeof name === 'string' ? name.toLowerCase() : '';
  const type = knownTools.find(({ names }) => names.some((part) => words.includes(part)))?.type ?? 'none';
  const tip = typeof seeder_tip_z_offset === 'number' ? seeder_tip_z_offset : 80;
  return {
    type,
    utm_mountable: !unmountableTools.includes(type),
    effector_offset_x: effectorX[type] ?? 0,
    // Not -0.
    effector_offset_z: type === 'seeder' ? 0 - tip : (effectorZ[type] ?? 0),
  };
}

/** Returns the number of a pin, which may not be checked yet. */
const pinOf = (pin: unknown): number => (typeof pin === 'number' || typeof pin === 'string' ? Number(pin) : Number.NaN);

/** Returns the type of a peripheral that follows from its pin. */
export const knownPeripheralType = (pin: unknown, firmwareHardware: unknown): (typeof peripheralTypes)[number] =>
  (firmwareHardware === 'arduino' ? peripheralsOfArduino : peripheralsByPin)[pinOf(pin)] ?? 'none';

/** Returns the type of a sensor that follows from its pin. */
export const knownSensorType = (pin: unknown): (typeof sensorTypes)[number] => sensorsByPin[pinOf(pin)] ?? 'none';
