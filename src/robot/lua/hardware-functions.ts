import { logMissing } from '../farmware.ts';
import { createNode, textOf } from '../nodes.ts';
import { Results, type SomeLuaFunctions, tableOf, wrongCall } from './lua-function.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Devices that a virtual robot lacks: they answer as on a robot without them. Texts of bytes. */
export const hardwareFunctions = {
  gcode: (call, { context }) => {
    textOf(call, 'command');
    tableOf(createNode(call.kind, { parameters: {}, ...call.args }), 'parameters');
    logMissing('motor controller for G-code', context);
  },
  'uart.list': () => [],
  'uart.open': (call, { context }) => {
    textOf(call, 'name');
    logMissing('serial ports', context);
    return new Results(null, 'UART device not found!');
  },
  take_photo_raw: (_call, { context }) => {
    logMissing('camera for take_photo_raw', context);
    return new Results(null, '');
  },
  'base64.encode': (call) => Buffer.from(textOf(call, 'text'), 'utf8').toString('base64'),
  'base64.decode': (call) => {
    const text = textOf(call, 'text');
    if (!base64.test(text)) throw wrongCall('This is not Base64.');
    return Buffer.from(text, 'base64').toString('utf8');
  },
} satisfies SomeLuaFunctions;
