import { Link } from '@tanstack/react-router';
import { TriangleAlert } from '../ui/icons.tsx';
import { uiText } from '../ui/text.ts';
import type { Run } from './occurrences.ts';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

/** A run with its time, and a mark if another begins in the same minute. */
export function RunLink({ run, count = 1 }: { readonly run: Run; readonly count?: number }) {
  const text = scheduleText();
  const name = run.regimen_name ? uiText().pair(run.regimen_name, run.sequence_name) : run.sequence_name;
  return (
    <Link
      from="/schedule"
      to="/schedule"
      search={(before) => ({ ...before, event: run.farm_event_id })}
      className={`${styles.run} ${run.regimen_id ? styles.ofRegimen : ''}`}
    >
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
      {run.overlaps ? <TriangleAlert size={14} role="img" aria-label={text.overlap} /> : null}
    </Link>
  );
}

/** Runs of one event on one day, as one entry with their number. */
export function groupedRuns(runs: readonly Run[]): readonly { readonly run: Run; readonly count: number }[] {
  const groups = new Map<string, { run: Run; count: number }>();
  for (const run of runs) {
    const key = `${run.farm_event_id} ${run.sequence_id}`;
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { run, count: 1 });
  }
  return [...groups.values()];
}
