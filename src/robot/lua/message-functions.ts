import type { Message } from '../../core/message.ts';
import { createNode, hasArg, numberOf, type RobotNode } from '../nodes.ts';
import { type LuaScript, optionsOf, outcomeOf, type SomeLuaFunctions, wordsOf } from './lua-function.ts';

/** Logs a message. `channels`: `toast`, `email` or `espeak`. Throws StepError. */
export const say = (
  script: LuaScript,
  type: string,
  message: string | Message,
  channels: readonly unknown[],
): Promise<void> =>
  script.run(
    createNode(
      'send_message',
      { message: String(message), message_type: type },
      channels.map((channel_name) => createNode('channel', { channel_name })),
    ),
  );

/** Shows the reason why a function did nothing. */
export const toastProblem = (script: LuaScript, message: Message, type: 'error' | 'warn' = 'error'): Promise<void> =>
  say(script, type, message, ['toast']);

const typeOf = (call: RobotNode): string => (hasArg(call, 'type') ? wordsOf(call, 'type') : 'info');

/** Returns the message of a call; nil is an empty one. */
const messageOf = (call: RobotNode): string => (hasArg(call, 'message') ? wordsOf(call, 'message') : '');

function channelsOf({ args }: RobotNode): readonly unknown[] {
  if (typeof args.channels === 'string') return [args.channels];
  return Array.isArray(args.channels) ? args.channels : [];
}

/** Returns the fields of a job that a call sets. */
function jobOf(call: RobotNode) {
  const job = optionsOf(call, 'job');
  const { time } = job.args;
  const began = typeof time === 'string' ? Date.parse(time) : time;
  return {
    ...(hasArg(job, 'percent') && { percent: numberOf(job, 'percent') }),
    ...(hasArg(job, 'status') && { status: wordsOf(job, 'status') }),
    ...(hasArg(job, 'type') && { type: wordsOf(job, 'type') }),
    // Outside of these years a time cannot be written.
    ...(typeof began === 'number' && Math.abs(began) <= 8.64e15 && { time: began }),
  };
}

/** Sets fields of a job; a complete one begins again without its former fields. */
function setJob(name: string, fields: ReturnType<typeof jobOf>, { context: { jobs } }: LuaScript): void {
  const known = jobs.get(name);
  jobs.set(name, known?.status === 'Complete' ? fields : { ...known, ...fields });
}

/** Returns a job for a script. */
function getJob(call: RobotNode, { context: { jobs } }: LuaScript): unknown {
  const job = jobs.get(wordsOf(call, 'name'));
  if (!job) return null;
  const { percent, status, type, time } = job;
  return { percent, status, type, time, unit: 'percent' };
}

/** Messages to people, and jobs. */
export const messageFunctions = {
  toast: (call, script) => outcomeOf(() => say(script, typeOf(call), messageOf(call), ['toast']), script),
  send_message: (call, script) =>
    outcomeOf(() => say(script, wordsOf(call, 'type'), messageOf(call), channelsOf(call)), script),
  debug: (call, script) => outcomeOf(() => say(script, 'debug', messageOf(call), []), script),
  set_job: (call, script) => setJob(wordsOf(call, 'name'), jobOf(call), script),
  set_job_progress: (call, { context: { jobs } }) => jobs.set(wordsOf(call, 'name'), jobOf(call)),
  complete_job: (call, script) => setJob(wordsOf(call, 'name'), { percent: 100, status: 'Complete' }, script),
  get_job: getJob,
  get_job_progress: getJob,
} satisfies SomeLuaFunctions;
