import { sayOfRobot } from './log-messages.ts';

/** What became of a run. `unknown`: the robot reported neither its end nor an error. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'skipped' | 'missed' | 'stopped' | 'unknown';
  /** What the robot or the server reported; empty: nothing. */
  readonly reason: string;
}

/** A run that was due. */
export interface PastRun {
  /** ISO 8601. */
  readonly at: string;
  readonly sequence_name: string;
}

/** A log of the robot. */
export interface RobotLog {
  /** By the clock of the robot, in ms. */
  readonly at: number;
  readonly type: string;
  readonly message: string;
}

/** What tells about runs. */
export interface Reports {
  /** When it was read, in ms. */
  readonly now: number;
  readonly logs: readonly RobotLog[];
  /** Runs that were due while the robot was offline: their programs and times. */
  readonly missed: readonly { readonly message: string; readonly at: string }[];
}

/** How much earlier than a run its logs may be, in ms: the clocks of robots differ. */
const lead = 60_000;
/** How long a run may take, and how long after its beginning an error counts as its own, in ms. */
const [maxLength, maxErrorDelay] = [6 * 3_600_000, 3_600_000];
/** How long a run without reports may be in progress, in ms. */
const usualLength = 15 * 60_000;

const marker = '⟦⟧';
/** The beginning of a message of virtual robots about a scheduled run. */
const beginning = (message: object): string => String(message).split(marker)[0] ?? '';

/** The beginning of messages about failed runs of any program. */
const anyFailure = beginning(sayOfRobot.failed(marker, '', ''));

/** The texts with which robots report the end of a program; real ones do so if their settings say so. */
const endsOf = (name: string): readonly string[] => [`Completed ${name}`, String(sayOfRobot.completed(name))];

function outcomeOf(
  { at, sequence_name: name }: PastRun,
  next: number,
  nextOfAll: number,
  reports: Reports,
): Outcome | null {
  const start = Date.parse(at);
  const within = (end: number): readonly RobotLog[] =>
    reports.logs.filter((log) => log.at >= start - lead && log.at < end);
  const own = within(Math.min(next, start + maxLength));
  const failure = beginning(sayOfRobot.failed(name, marker, ''));
  const failed = own.find(({ message }) => message.startsWith(failure));
  if (failed) return { state: 'failed', reason: failed.message.slice(failure.length).replace(/^.*?: /, '') };
  const delay = beginning(sayOfRobot.missed(name, marker));
  if (own.some(({ message }) => message.startsWith(delay))) return { state: 'skipped', reason: '' };
  if (reports.missed.some((each) => each.message === name && each.at === at)) return { state: 'missed', reason: '' };
  const ends = endsOf(name);
  if (own.some(({ message }) => ends.includes(message))) return { state: 'done', reason: '' };
  // A failure that names a run is that of another one: its own was found.
  const error = within(Math.min(nextOfAll, start + maxErrorDelay)).find(
    ({ type, message }) => type === 'error' && !message.startsWith(anyFailure),
  );
  if (error) return { state: 'failed', reason: error.message };
  return reports.now - start < usualLength ? null : { state: 'unknown', reason: '' };
}

/** Finds the next later run under a key, for runs from the last to the first. */
function nextTimes(): (key: string, at: number) => number {
  const known = new Map<string, { readonly at: number; readonly next: number }>();
  return (key, at) => {
    const later = known.get(key);
    const next = !later ? Number.POSITIVE_INFINITY : later.at > at ? later.at : later.next;
    known.set(key, { at, next });
    return next;
  };
}

/** Returns what became of runs, the earliest first, in their order; null of one that may be in progress. */
export function outcomesOf(runs: readonly PastRun[], reports: Reports): readonly (Outcome | null)[] {
  const [nextOfName, nextOfAll] = [nextTimes(), nextTimes()];
  return [...runs]
    .reverse()
    .map((run) => {
      const at = Date.parse(run.at);
      return outcomeOf(run, nextOfName(run.sequence_name, at) - lead, nextOfAll('', at) - lead, reports);
    })
    .reverse();
}
