import { objectOf } from '../../core/json.ts';
import { createNode, hasArg, numberOf, type RobotNode } from '../nodes.ts';
import { type LuaFunctions, type LuaScript, wordsOf } from './lua-function.ts';

/** Logs a message. `channels`: `toast`, `email` or `espeak`. */
export const say = (script: LuaScript, type: string, message: string, channels: readonly unknown[]): Promise<void> =>
  script.run(
    createNode(
      'send_message',
      { message, message_type: type },
      channels.map((channel_name) => createNode('channel', { channel_name })),
    ),
  );

const typeOf = (call: RobotNode): string => (hasArg(call, 'type') ? wordsOf(call, 'type') : 'info');

function channelsOf({ args }: RobotNode): readonly unknown[] {
  if (typeof args.channels === 'string') return [args.channels];
  return Array.isArray(args.channels) ? args.channels : [];
}

/** Messages to people, and jobs. */
export const messageFunctions: LuaFunctions = {
  toast: {
    takes: 'message type',
    run: (call, script) => say(script, typeOf(call), wordsOf(call, 'message'), ['toast']),
  },
  send_message: {
    takes: 'type message channels',
    run: (call, script) => say(script, typeOf(call), wordsOf(call, 'message'), channelsOf(call)),
  },
  debug: { takes: 'message', run: (call, script) => say(script, 'debug', wordsOf(call, 'message'), []) },
  set_job: {
    takes: 'name job',
    run: (call, { context: { jobs } }) => {
      const job = createNode('set_job', objectOf(call.args.job));
      const percent = hasArg(job, 'percent') ? numberOf(job, 'percent') : 0;
      jobs.set(wordsOf(call, 'name'), percent, hasArg(job, 'status') ? wordsOf(job, 'status') : 'Working');
    },
  },
  complete_job: {
    takes: 'name',
    run: (call, { context: { jobs } }) => jobs.set(wordsOf(call, 'name'), 100, 'Complete'),
  },
};
