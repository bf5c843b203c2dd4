import { timestamp } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { logs } from '../device/logs.ts';
import { notifications } from '../notifications/notification-resource.ts';
import { pastOccurrences } from '../programs/past-occurrences.ts';
import { nextOccurrence, readSchedule } from '../programs/schedule.ts';
import { outcomesOf } from '../robot/run-outcomes.ts';
import { runs } from '../runs/run-records.ts';
import { logMessage } from './log-messages.ts';
import { say } from './messages.ts';
import type { Day, Item } from './today-items.ts';

/** Runs of a day that are read, those of them that are looked at, the last, and days in which the next one is looked for. */
const [maxDue, maxRuns, daysAhead] = [5000, 500, 7];
/** Sentences about failures; the schedule has all of them. */
const maxFailures = 4;
/** Logs of a day that are looked at, the newest. */
const maxLogs = 1000;

const reports = only(logs, 'type', 'message');

/** Returns what the robot or the server stored as a message, in the language of its reader; other texts as they are. */
const inWords = (text: string): string | Message => logMessage(text) ?? text;

/** The sentence of an outcome that a person is to know, by its state. */
const failures: Readonly<Record<string, (name: string, time: Message, reason: string | Message) => Message>> = {
  failed: (name, time, reason) => say.failed(name, time, reason),
  skipped: (name, time) => say.skipped(name, time),
  missed: (name, time) => say.missed(name, time),
};

/** Returns what the schedule ran on this day until now: what failed, and, if all runs are looked at, what was done. */
export async function scheduledRuns(scope: DeviceScope, day: Day): Promise<Item[]> {
  const { found } = await pastOccurrences(scope, day.start, day.now, maxDue);
  if (!found || found.length === 0) return [];
  const since = { created_at: { gte: timestamp(day.start) } };
  const stored = await scope.rows(reports, { where: since, order: [['id', 'desc']], limit: maxLogs });
  const missed = await scope.rows(notifications, { where: { kind: 'missed_run', ...since } });
  const past = found
    .slice(-maxRuns)
    .map(({ runs: { sequence }, at }) => ({ at: timestamp(at), sequence_name: sequence.name }));
  const outcomes = outcomesOf(past, {
    now: day.now,
    logs: stored.map(({ created_at, type, message }) => ({
      at: Date.parse(created_at),
      type,
      message,
    })),
    missed,
  });
  const all = past.map((run, index) => ({ ...run, outcome: outcomes[index] ?? null }));
  const failed = all.flatMap(({ at, sequence_name, outcome }): Item[] => {
    const sentence = outcome && failures[outcome.state];
    const time = Date.parse(at);
    return sentence
      ? [{ kind: 'failed', message: sentence(sequence_name, day.clock(time), inWords(outcome.reason)), at: time }]
      : [];
  });
  const done = all.filter(({ outcome }) => outcome?.state === 'done');
  return [...failed.slice(-maxFailures), ...(found.length > maxRuns ? [] : doneItems(done, day))];
}

/** Returns one sentence about what was done. */
function doneItems(done: readonly { readonly at: string; readonly sequence_name: string }[], day: Day): Item[] {
  const last = done.at(-1);
  if (!last) return [];
  const times = new Map<string, string[]>();
  for (const { at, sequence_name } of done) times.set(sequence_name, [...(times.get(sequence_name) ?? []), at]);
  const names = [...times].map(([name, [first = '', ...others]]) =>
    others.length === 0 ? say.once(name, day.clock(Date.parse(first))) : say.several(name, others.length + 1),
  );
  return [{ kind: 'ran', message: say.ran(names), at: Date.parse(last.at) }];
}

/** Returns what became of the runs over several places that were started on this day. */
export async function startedRuns(scope: DeviceScope, day: Day): Promise<Item[]> {
  const started = await scope.rows(runs, { where: { created_at: { gte: timestamp(day.start) } } });
  const at = ({ created_at }: { readonly created_at: string }): number => Date.parse(created_at);
  const interrupted = started
    .filter(({ state }) => state === 'interrupted')
    .map((run): Item => {
      const message = say.interrupted(run.name, run.place ?? '', inWords(run.problem ?? ''));
      return { kind: 'failed', message, at: at(run) };
    });
  const ended = started.filter(({ state, done }) => (state === 'done' || state === 'stopped') && done > 0);
  const last = ended.at(-1);
  const names = ended.map(({ name, done, total }) => say.partly(name, done, total));
  return [...interrupted, ...(last ? [{ kind: 'ran', message: say.ran(names), at: at(last) } as const] : [])];
}

/** Returns the next run of the schedule. */
export async function nextRun(scope: DeviceScope, day: Day): Promise<Item[]> {
  const schedule = await readSchedule(scope);
  const next = await nextOccurrence(schedule, day.now, day.now + daysAhead * 86_400_000);
  return next ? [{ kind: 'next', message: say.next(next.runs.sequence.name, day.when(next.at)), at: next.at }] : [];
}
