import { timestamp } from '../../core/clock.ts';
import { createNode, hasArg, integerOf, numberOf, type RobotNode } from '../nodes.ts';
import { maxPin, valueOfPin } from '../pins.ts';
import {
  failureOf,
  type LuaScript,
  outcomeOf,
  Results,
  type SomeLuaFunctions,
  tableOf,
  wrongCall,
} from './lua-function.ts';

/** Returns the mode of a pin: 1 for "analog", 0 for anything else. */
const modeOf = ({ args }: RobotNode): 0 | 1 => (args.mode === 'analog' ? 1 : 0);

const pinOf = (call: RobotNode): number =>
  integerOf(createNode(call.kind, { pin: Math.trunc(numberOf(call, 'pin')) }), 'pin', 0, maxPin);

/** Writes to a pin. Returns null, or the reason why it failed. */
function write(call: RobotNode, pin_mode: 0 | 1, value: number, script: LuaScript): Promise<string | null> {
  const pin_value = Math.trunc(value);
  if (pin_mode === 0 && pin_value !== 0 && pin_value !== 1) throw wrongCall('A digital pin takes 0 or 1.');
  const step = createNode('write_pin', { pin_number: pinOf(call), pin_mode, pin_value });
  return failureOf(() => script.run(step), script);
}

const modes: readonly unknown[] = ['input', 'input_pullup', 'output'];

/** Pins by number. */
export const pinFunctions = {
  on: (call, script) => write(call, 0, 1, script),
  off: (call, script) => write(call, 0, 0, script),
  write_pin: (call, script) => write(call, modeOf(call), numberOf(call, 'value'), script),
  toggle_pin: async (call, script) => {
    const step = createNode('toggle_pin', { pin_number: pinOf(call) });
    return new Results(null, await failureOf(() => script.run(step), script));
  },
  read_pin: (call, { context }) => valueOfPin(`${pinOf(call)}`, modeOf(call), context),
  set_pin_io_mode: async (call, script) => {
    const { mode } = call.args;
    if (!modes.includes(mode))
      return new Results(false, 'Expected pin mode to be one of: ["input", "input_pullup", "output"]');
    const step = createNode('set_pin_io_mode', { pin_number: pinOf(call), pin_io_mode: mode });
    const problem = await failureOf(() => script.run(step), script);
    return problem === null ? true : new Results(false, problem);
  },
  watch_pin: (call, { watch }) => watch(pinOf(call)),
  new_sensor_reading: (call, script) => {
    const { api, clock } = script.context;
    const reading = tableOf(call, 'reading');
    const whole = (name: string, usual?: number) =>
      Math.round(usual === undefined || hasArg(reading, name) ? numberOf(reading, name) : usual);
    const body = {
      read_at: timestamp(clock.now()),
      ...reading.args,
      ...{ pin: whole('pin'), value: whole('value'), mode: whole('mode', 0) },
    };
    return outcomeOf(() => api.request('POST', '/api/sensor_readings', body), script);
  },
} satisfies SomeLuaFunctions;
