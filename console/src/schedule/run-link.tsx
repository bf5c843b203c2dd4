import { Link } from '@tanstack/react-router';
import type { Outcome } from '../../../src/robot/run-outcomes.ts';
import { logInWords } from '../data/log-words.ts';
import { CircleCheck, CircleDashed, CircleX, type Icon, TriangleAlert } from '../ui/icons.tsx';
import { uiText } from '../ui/text.ts';
import type { Run, StartedRun } from './occurrences.ts';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

const outcomeIcons: Readonly<Record<Outcome['state'], Icon>> = {
  done: CircleCheck,
  failed: CircleX,
  skipped: TriangleAlert,
  missed: TriangleAlert,
  stopped: CircleX,
  unknown: CircleDashed,
};

/** What became of a run, in words. */
function wordsOf({ state, reason }: Outcome): string {
  const words = scheduleText().outcomes[state];
  return reason === '' ? words : uiText().pair(words, logInWords(reason));
}

interface RunProps<T> {
  readonly run: T;
  /** Whether the outcome of a past run is written beside its sign. */
  readonly isWorded?: boolean;
}

/** What became of a run, as a sign, and in words where there is room. */
function OutcomeMark({ outcome, isWorded }: { readonly outcome: Outcome; readonly isWorded: boolean }) {
  const Sign = outcomeIcons[outcome.state];
  const words = wordsOf(outcome);
  return (
    <>
      {isWorded ? <small>{words}</small> : null}
      <Sign size={14} {...(isWorded ? {} : { role: 'img', 'aria-label': words })} data-outcome={outcome.state}></Sign>
    </>
  );
}

const lookOf = ({ outcome }: Run | StartedRun): string =>
  outcome ? `${styles.past} ${outcome.state === 'failed' ? styles.failed : ''}` : '';

/** A run with its time and its outcome, and a mark if another begins in the same minute. */
export function RunLink({ run, count = 1, isWorded = false }: RunProps<Run> & { readonly count?: number }) {
  const text = scheduleText();
  const name = run.regimen_name ? uiText().pair(run.regimen_name, run.sequence_name) : run.sequence_name;
  const common = { className: `${styles.run} ${run.regimen_id ? styles.ofRegimen : ''} ${lookOf(run)}` };
  const content = (
    <>
      <span className={styles.clock}>{run.clock}</span>
      <span className={styles.name}>
        {name}
        {run.where === '' ? null : (
          <>
            {' '}
            <small>{run.where}</small>
          </>
        )}
      </span>
      {count > 1 ? <small>{text.runs(count)}</small> : null}
      {run.overlaps && !run.outcome ? <TriangleAlert size={14} role="img" aria-label={text.overlap} /> : null}
      {run.outcome ? <OutcomeMark outcome={run.outcome} isWorded={isWorded} /> : null}
    </>
  );
  return run.isGone ? (
    <Link {...common} to="/programs/$id" params={{ id: String(run.sequence_id) }}>
      {content}
    </Link>
  ) : (
    <Link {...common} from="/schedule" to="/schedule" search={(before) => ({ ...before, event: run.farm_event_id })}>
      {content}
    </Link>
  );
}

/** A run over several places that a person started. */
export function StartedRunEntry({ run, isWorded = false }: RunProps<StartedRun>) {
  const { clock, name, done, total, outcome } = run;
  return (
    <div className={styles.entry}>
      <div className={`${styles.run} ${lookOf(run)}`}>
        <span className={styles.clock}>{clock}</span>
        <span className={styles.name}>
          {name} <small>{scheduleText().places(done, total)}</small>
        </span>
        {outcome ? <OutcomeMark outcome={outcome} isWorded={isWorded} /> : null}
      </div>
    </div>
  );
}

/** An entry of a day: runs of one event with one outcome, with their number, or a run that a person started. */
export type DayEntry = { readonly run: Run; readonly count: number } | { readonly started: StartedRun };

/** Returns the entries of a day, the earliest first. */
export function entriesOf(runs: readonly Run[], startedRuns: readonly StartedRun[]): readonly DayEntry[] {
  const atOf = (entry: DayEntry): string => ('run' in entry ? entry.run.at : entry.started.at);
  return [...groupedRuns(runs), ...startedRuns.map((started) => ({ started }))].sort((a, b) =>
    atOf(a) < atOf(b) ? -1 : 1,
  );
}

/** The key of an entry among those of its day. */
export const keyOf = (entry: DayEntry): string =>
  'run' in entry ? `${entry.run.farm_event_id} ${entry.run.at}` : `run ${entry.started.id}`;

function groupedRuns(runs: readonly Run[]): readonly { readonly run: Run; readonly count: number }[] {
  const groups = new Map<string, { run: Run; count: number }>();
  for (const run of runs) {
    const { farm_event_id, sequence_id, outcome } = run;
    const key = [farm_event_id, sequence_id, outcome?.state, outcome?.reason].join(' ');
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { run, count: 1 });
  }
  return [...groups.values()];
}
