import { timestamp } from '../../core/clock.ts';
import { ZoneOffsets } from '../../core/local-day.ts';
import { createNode, hasArg, numberOf, type RobotNode, textOf } from '../nodes.ts';
import { sayOfFunction } from './function-messages.ts';
import { type LuaScript, optionsOf, type SomeLuaFunctions, wordsOf, wrongCall } from './lua-function.ts';
import { toastProblem } from './message-functions.ts';

const parts = ['year', 'month', 'day', 'hour', 'minute', 'second'];

/** Returns a time as ISO 8601 text, or the part of it that a call names. */
const partOf = ({ args }: RobotNode, time: string): string | number => {
  const index = parts.indexOf(String(args.part));
  return index < 0 ? time : Number(time.match(/\d+/g)?.[index]);
};

/** Returns the time in UTC with microseconds, as robots write it. */
const utcTime = ({ context: { clock } }: LuaScript): string => timestamp(clock.now()).replace('Z', '000Z');

async function localTime(script: LuaScript): Promise<string> {
  const { clock, garden } = script.context;
  const { timezone } = await garden.record('/api/device', 'device');
  if (typeof timezone !== 'string') return utcTime(script);
  const fraction = /\.\d+/.exec(utcTime(script))?.[0];
  return new ZoneOffsets(timezone).format(clock.now()).replace(/(?<=T[\d:]{8})/, fraction ?? '');
}

const part =
  (name: string) =>
  (_call: RobotNode, script: LuaScript): string | number =>
    partOf(createNode(name, { part: name }), utcTime(script));

/** A time as robots read it: with an offset from UTC. */
const isoTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i;

/** Returns whether a day and a time of day exist: Date reads February 30 as March 2. */
const exists = (time: string): boolean => {
  const named = `${time.slice(0, 10)}T${time.slice(11, 19)}`;
  const date = new Date(`${named}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(named);
};

/** Waits, and shows a job from a second on. Fractions of milliseconds are cut, as on robots. */
export async function waitWithJob(
  milliseconds: number,
  { job, status }: { readonly job: string; readonly status: string },
  { context: { machine, jobs, clock, signal } }: LuaScript,
): Promise<void> {
  const seconds = milliseconds / 1000;
  const time = clock.now();
  for (let second = 1; second <= seconds; second++) {
    jobs.set(job, { percent: Math.floor(((second - 1) / seconds) * 100), status, time });
    await machine.wait(1000, signal);
  }
  await machine.wait(Math.trunc(milliseconds % 1000), signal);
  if (seconds >= 1) jobs.set(job, { percent: 100, status: 'Complete', time });
}

/** Returns the duration of a pause. Throws StepError. */
function durationOf(call: RobotNode): number {
  const milliseconds = numberOf(call, 'milliseconds');
  if (milliseconds < 0) throw wrongCall('A pause cannot be negative.');
  return milliseconds;
}

/** A pause of `wait_ms` from this duration on locks a robot, in ms. */
const maxPause = 180_000;

/** Time and pauses. */
export const timeFunctions = {
  wait: async (call, script) => {
    const milliseconds = durationOf(call);
    const options = optionsOf(call, 'options');
    const text = (name: string, usual: string) => (hasArg(options, name) ? wordsOf(options, name) : usual);
    const job = text('job', `Waiting ${milliseconds / 1000}s`);
    await waitWithJob(milliseconds, { job, status: text('status', 'Waiting') }, script);
  },
  wait_ms: async (call, script) => {
    const milliseconds = Math.trunc(durationOf(call));
    if (milliseconds >= maxPause) {
      await toastProblem(script, sayOfFunction.longPause);
      return script.run(createNode('emergency_lock'));
    }
    await script.context.machine.wait(milliseconds, script.context.signal);
    return milliseconds;
  },
  utc: (call, script) => partOf(call, utcTime(script)),
  local_time: async (call, script) => partOf(call, await localTime(script)),
  to_unix: (call) => {
    const time = textOf(call, 'time');
    const seconds = isoTime.test(time) && exists(time) ? Math.floor(Date.parse(time) / 1000) : Number.NaN;
    if (Number.isNaN(seconds)) throw wrongCall('A time is like "2026-05-01T12:00:00Z", with an offset from UTC.');
    return seconds;
  },
  current_month: part('month'),
  current_hour: part('hour'),
  current_minute: part('minute'),
  current_second: part('second'),
} satisfies SomeLuaFunctions;
