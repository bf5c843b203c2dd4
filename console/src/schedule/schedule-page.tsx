import { type CalendarDate, endOfMonth, parseDate, startOfMonth, startOfWeek, today } from '@internationalized/date';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRecords } from '../data/collections.ts';
import { formatDay, formatMonth, formatSpan, useZone } from '../data/garden-time.ts';
import { groupBy } from '../data/groups.ts';
import { useDevice, useMayWrite } from '../data/singles.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Part } from '../ui/failure.tsx';
import { CalendarDays, ChevronLeft, ChevronRight, Plus, Printer } from '../ui/icons.tsx';
import { useLanguage } from '../ui/language.ts';
import { EmptyState, Missing, Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { DayGrid, type DayGridProps } from './day-grid.tsx';
import { EventForm } from './event-form.tsx';
import { type Run, type StartedRun, useRuns, useStartedRuns } from './occurrences.ts';
import { entriesOf, keyOf, RunLink, StartedRunEntry } from './run-link.tsx';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

const scheduleRoute = getRouteApi('/garden/schedule');

const views = ['month', 'week', 'list'] as const;
/** Days of the list. */
const listLength = 31;

/** The first day that is shown, and the one after the last. */
function spanOf(
  view: (typeof views)[number],
  day: CalendarDate,
  locale: string,
): readonly [CalendarDate, CalendarDate] {
  if (view === 'list') return [day, day.add({ days: listLength })];
  const first = startOfWeek(view === 'month' ? startOfMonth(day) : day, locale);
  if (view === 'week') return [first, first.add({ weeks: 1 })];
  return [first, startOfWeek(endOfMonth(day), locale).add({ weeks: 1 })];
}

const step = { month: { months: 1 }, week: { weeks: 1 }, list: { days: listLength } } as const;

interface RunsProps extends Omit<DayGridProps, 'runs' | 'startedRuns' | 'month'> {
  readonly view: (typeof views)[number];
  readonly day: CalendarDate;
}

function Runs({ view, day, ...props }: RunsProps) {
  const { first, end, now, zone } = props;
  const runs = useRuns(first, end, zone);
  const startedRuns = useStartedRuns(first, end, zone);
  return view === 'list' ? (
    <RunList runs={runs} startedRuns={startedRuns} now={now} />
  ) : (
    <DayGrid {...props} runs={runs} startedRuns={startedRuns} month={view === 'month' ? day.month : null} />
  );
}

/** The schedule by month, by week, or as a list. */
export function SchedulePage() {
  const text = scheduleText();
  const locale = useLanguage();
  const zone = useZone();
  const hasZone = useDevice().timezone !== null;
  const search = scheduleRoute.useSearch();
  const { view = 'month', date, event, new: newDay, program, regimen } = search;
  const navigate = useNavigate({ from: '/schedule' });
  const mayWrite = useMayWrite();
  const now = today(zone);
  const day = date ? parseDate(date) : now;
  const [first, end] = spanOf(view, day, locale);
  const events = useRecords('farm_events');
  const chosen = events.find(({ id }) => id === event) ?? null;
  const close = (): Promise<void> =>
    navigate({ search: ({ view: kept, date: keptDate }) => ({ view: kept, date: keptDate }) });
  const show = (next: CalendarDate): void =>
    void navigate({ search: (before) => ({ ...before, date: next.toString() }) });
  const what = regimen ? `Regimen ${regimen}` : program ? `Sequence ${program}` : undefined;
  return (
    <Page
      title={text.title}
      width="full"
      actions={
        <>
          <Link to="/regimens">{text.regimens}</Link>
          <IconButton label={text.print} icon={<Printer />} onPress={() => print()} />
          {mayWrite ? (
            <Button
              tone="primary"
              icon={<Plus />}
              onPress={() => void navigate({ search: (before) => ({ ...before, new: now.toString() }) })}
            >
              {text.add}
            </Button>
          ) : null}
        </>
      }
      bar={
        <div className={styles.bar}>
          <PartTabs label={text.view} parts={views} open={view}>
            {(each, tab) => (
              <Link {...tab} from="/schedule" to="/schedule" search={(before) => ({ ...before, view: each })}>
                {text.views[each]}
              </Link>
            )}
          </PartTabs>
          <div className={styles.steps}>
            <IconButton label={text.earlier} icon={<ChevronLeft />} onPress={() => show(day.subtract(step[view]))} />
            <IconButton label={text.later} icon={<ChevronRight />} onPress={() => show(day.add(step[view]))} />
            <Button onPress={() => show(now)}>{text.today}</Button>
          </div>
          <h2 aria-live="polite">{view === 'month' ? formatMonth(day) : formatSpan(first, end)}</h2>
        </div>
      }
    >
      <p className={styles.zone}>
        {hasZone ? (
          text.zone(zone)
        ) : (
          <>
            {text.utc} <Link to="/settings">{text.chooseZone}</Link>
          </>
        )}
      </p>
      {/* The buttons above stay, with the focus, while another span is read. */}
      <Part>
        <Runs view={view} day={day} first={first} end={end} now={now} events={events} zone={zone} />
      </Part>
      <Dialog
        title={event === undefined ? text.add : mayWrite ? text.edit : text.look}
        isOpen={event !== undefined || newDay !== undefined}
        onClose={() => void close()}
      >
        {event !== undefined && !chosen ? (
          <Missing />
        ) : (
          <EventForm
            key={event ?? `${newDay} ${what}`}
            event={chosen}
            day={newDay ?? now.toString()}
            {...(what ? { what } : {})}
            zone={zone}
            onDone={close}
          />
        )}
      </Dialog>
    </Page>
  );
}

interface RunListProps {
  readonly runs: readonly Run[];
  readonly startedRuns: readonly StartedRun[];
  readonly now: CalendarDate;
}

/** The runs of a month, day by day; days without runs are left out. */
function RunList({ runs, startedRuns, now }: RunListProps) {
  const text = scheduleText();
  if (runs.length + startedRuns.length === 0)
    return (
      <EmptyState icon={<CalendarDays size={40} aria-hidden="true" />} title={text.nothing}>
        {text.nothingHint}
      </EmptyState>
    );
  const byDay = groupBy(runs, ({ day }) => day.toString());
  const startedByDay = groupBy(startedRuns, ({ day }) => day.toString());
  const days = [...new Set([...byDay.keys(), ...startedByDay.keys()])].sort();
  return days.map((day) => (
    <section key={day} className={styles.listDay}>
      <h3>
        {formatDay(parseDate(day))}
        {day === now.toString() ? ` · ${text.today}` : ''}
      </h3>
      <ul>
        {entriesOf(byDay.get(day) ?? [], startedByDay.get(day) ?? []).map((entry) => (
          <li key={keyOf(entry)}>
            {'run' in entry ? <RunLink {...entry} isWorded /> : <StartedRunEntry run={entry.started} isWorded />}
          </li>
        ))}
      </ul>
    </section>
  ));
}
