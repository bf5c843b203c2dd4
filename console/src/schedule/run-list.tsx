import type { CalendarDate } from '@internationalized/date';
import { formatDay } from '../data/garden-time.ts';
import { groupBy } from '../data/groups.ts';
import { CalendarDays } from '../ui/icons.tsx';
import { EmptyState } from '../ui/page.tsx';
import type { Run } from './occurrences.ts';
import { groupedRuns, RunLink } from './run-link.tsx';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

/** The runs of a month, day by day; days without runs are left out. */
export function RunList({ runs, now }: { readonly runs: readonly Run[]; readonly now: CalendarDate }) {
  const text = scheduleText();
  if (runs.length === 0)
    return (
      <EmptyState icon={<CalendarDays size={40} aria-hidden="true" />} title={text.nothing}>
        {text.nothingHint}
      </EmptyState>
    );
  const days = groupBy(runs, ({ day }) => day.toString());
  return [...days].map(([day, members]) => (
    <section key={day} className={styles.listDay}>
      <h3>
        {members[0] ? formatDay(members[0].day) : day}
        {day === now.toString() ? ` · ${text.today}` : ''}
      </h3>
      <ul>
        {groupedRuns(members).map(({ run, count }) => (
          <li key={`${run.farm_event_id} ${run.at}`}>
            <RunLink run={run} count={count} />
          </li>
        ))}
      </ul>
    </section>
  ));
}
