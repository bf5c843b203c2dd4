import { timestamp } from '../core/clock.ts';
import { knownPeripheralType } from '../core/known-equipment.ts';
import { sayOfRobot } from './log-messages.ts';
import { integerOf, nodeOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import type { StepContext } from './step-context.ts';

/** [rule R15] */
export const maxPin = 69;
/** Maximum value of an analog pin, written and read. */
const [maxOutput, maxInput] = [255, 1023];

/** A pin of the machine. */
export interface RobotPin {
  /** The key in the state tree. */
  readonly key: string;
  /** The name for messages. */
  readonly name: string;
  /** Whether it opens the valve of the water. */
  readonly isWater: boolean;
}

const isKnownValve = (pin: number, { account }: StepContext): boolean =>
  knownPeripheralType(pin, account.configuration.firmware_hardware) === 'water';

async function pinOf(step: RobotNode, context: StepContext): Promise<RobotPin> {
  if (typeof step.args.pin_number === 'number') {
    const pin = integerOf(step, 'pin_number', 0, maxPin);
    return { key: `${pin}`, name: `pin ${pin}`, isWater: isKnownValve(pin, context) };
  }
  return namedPinOf(nodeOf(step, 'pin_number'), context);
}

/** Returns the pin of a `named_pin`. Throws {@link StepError}. */
export async function namedPinOf(named: RobotNode, context: StepContext): Promise<RobotPin> {
  if (named.kind !== 'named_pin') throw new StepError(`"${toPrintable(named.kind, 40)}" is not a pin.`);
  const type = textOf(named, 'pin_type');
  if (type === 'BoxLed3' || type === 'BoxLed4') return { key: type, name: type, isWater: false };
  if (type !== 'Peripheral' && type !== 'Sensor')
    throw new StepError(`There are no pins of type "${toPrintable(type, 40)}".`);
  const id = integerOf(named, 'pin_id', 1, Number.MAX_SAFE_INTEGER);
  const { pin, label, type: use } = await context.garden.namedPin(type, id);
  return { key: `${pin}`, name: label, isWater: use === 'water' || isKnownValve(pin, context) };
}

export async function writePin(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const mode = integerOf(step, 'pin_mode', 0, 1);
  const value = integerOf(step, 'pin_value', 0, mode === 0 ? 1 : maxOutput);
  const { key, name, isWater } = await pinOf(step, context);
  context.machine.setPin(key, { mode, value }, isWater);
  context.actions.log('info', sayOfRobot.set(name, value), { verbosity: 2 });
}

export async function togglePin(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const { key, name, isWater } = await pinOf(step, context);
  const value = context.machine.pins.get(key)?.value ? 0 : 1;
  context.machine.setPin(key, { mode: 0, value }, isWater);
  context.actions.log('info', sayOfRobot.set(name, value), { verbosity: 2 });
}

/** The pin that is connected to the mounted tool: 0 with a tool, 1 without one. */
const toolPin = '63';

/** Returns what a pin measures: the value last written, or a simulated reading. */
async function measured(key: string, mode: number, { machine, garden }: StepContext): Promise<number> {
  if (key === toolPin) return (await garden.mountedTool()) === null ? 1 : 0;
  return machine.writtenValue(key) ?? (mode === 1 ? machine.moisture : 0);
}

/** Reads a pin, and shows its value in the state. */
export async function valueOfPin(key: string, mode: number, context: StepContext): Promise<number> {
  const value = Math.min(await measured(key, mode, context), maxInput);
  context.machine.recordPin(key, { mode, value });
  return value;
}

export async function readPin(step: RobotNode, context: StepContext): Promise<void> {
  const mode = integerOf(step, 'pin_mode', 0, 1);
  const { key, name } = await pinOf(step, context);
  const [position, now] = [context.machine.position, context.clock.now()];
  const value = await valueOfPin(key, mode, context);
  context.actions.log('info', sayOfRobot.read(value, name), { verbosity: 2 });
  if (!(await context.garden.sensorAt(Number(key)))) return;
  const read_at = timestamp(now);
  const reading = { id: null, pin: Number(key), mode, value, ...position, read_at };
  await context.api.request('POST', '/api/sensor_readings', reading);
}

export async function setServoAngle(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const angle = integerOf(step, 'pin_value', 0, 180);
  const { key, name } = await pinOf(step, context);
  context.machine.setPin(key, { mode: 1, value: angle });
  context.actions.log('info', sayOfRobot.servo(name, angle), { verbosity: 2 });
}

export async function setPinIoMode(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const mode = textOf(step, 'pin_io_mode');
  if (!['input', 'input_pullup', 'output'].includes(mode))
    throw new StepError(`"${toPrintable(mode, 40)}" is not a mode of a pin.`);
  const { name } = await pinOf(step, context);
  context.actions.log('info', sayOfRobot.made(name, mode), { verbosity: 3 });
}
