import { createNode, integerOf, type RobotNode, StepError, textOf } from '../nodes.ts';
import { maxPin } from '../pins.ts';
import type { LuaFunctions, LuaScript } from './lua-function.ts';

/** Returns the mode of a pin that scripts name: 0 digital, 1 analog. */
function modeOf(call: RobotNode): 0 | 1 {
  const mode = textOf(call, 'mode');
  if (mode !== 'digital' && mode !== 'analog') throw new StepError(`"${call.kind}" needs "digital" or "analog".`);
  return mode === 'analog' ? 1 : 0;
}

const write = (call: RobotNode, pin_mode: 0 | 1, pin_value: unknown, { run }: LuaScript): Promise<void> =>
  run(createNode('write_pin', { pin_number: integerOf(call, 'pin', 0, maxPin), pin_mode, pin_value }));

/** Pins by number. */
export const pinFunctions: LuaFunctions = {
  on: { takes: 'pin', run: (call, script) => write(call, 0, 1, script) },
  off: { takes: 'pin', run: (call, script) => write(call, 0, 0, script) },
  write_pin: { takes: 'pin mode value', run: (call, script) => write(call, modeOf(call), call.args.value, script) },
  toggle_pin: {
    takes: 'pin',
    run: (call, { run }) => run(createNode('toggle_pin', { pin_number: integerOf(call, 'pin', 0, maxPin) })),
  },
  read_pin: {
    takes: 'pin mode',
    run: async (call, { context, run }) => {
      const pin = integerOf(call, 'pin', 0, maxPin);
      await run(createNode('read_pin', { pin_number: pin, pin_mode: modeOf(call), label: '' }));
      return context.machine.pins.get(`${pin}`)?.value;
    },
  },
  set_pin_io_mode: {
    takes: 'pin mode',
    run: (call, { run }) => {
      const pin_number = integerOf(call, 'pin', 0, maxPin);
      return run(createNode('set_pin_io_mode', { pin_number, pin_io_mode: textOf(call, 'mode') }));
    },
  },
  watch_pin: { takes: 'pin', run: (call, { watch }) => watch(integerOf(call, 'pin', 0, maxPin)) },
};
