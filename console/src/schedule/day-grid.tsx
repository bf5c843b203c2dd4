import type { CalendarDate } from '@internationalized/date';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef } from 'react';
import { useButton, useDrag, useDrop } from 'react-aria';
import { updateRecord } from '../data/changes.ts';
import type { RecordOf } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { formatDay, formatWeekday } from '../data/garden-time.ts';
import { groupBy } from '../data/groups.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { zoned } from '../data/zoned-days.ts';
import { GripVertical, Plus } from '../ui/icons.tsx';
import { usePrinting } from '../ui/printing.ts';
import { type ShortcutGroup, useShortcuts } from '../ui/shortcuts.ts';
import type { Run, StartedRun } from './occurrences.ts';
import { entriesOf, keyOf, RunLink, StartedRunEntry } from './run-link.tsx';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

type FarmEvent = RecordOf<'farm_events'>;

/** Entries of a day in a month on the screen; the others are counted. */
const maxShown = 4;
const runType = 'application/x-potager-run';

export interface DayGridProps {
  readonly runs: readonly Run[];
  readonly startedRuns: readonly StartedRun[];
  readonly first: CalendarDate;
  readonly end: CalendarDate;
  readonly now: CalendarDate;
  /** The month whose days stand out; null: a single week, in which everything is shown. */
  readonly month: number | null;
  readonly events: readonly FarmEvent[];
  readonly zone: string;
}

/** Moves an event by the days between the day of one of its runs and another. */
async function moveEvent(event: FarmEvent, from: string, to: CalendarDate, zone: string): Promise<void> {
  const day = 24 * 60 * 60 * 1000;
  const days = Math.round((to.toDate('UTC').getTime() - Date.parse(`${from}T00:00:00Z`)) / day);
  if (days === 0) return;
  const moved = (at: string | null): string | undefined =>
    at ? zoned(at, zone).add({ days }).toAbsoluteString() : undefined;
  const times = { start_time: moved(event.start_time), end_time: moved(event.end_time) };
  await attempt(() =>
    undoable(scheduleText().moved(formatDay(to)), (label) =>
      updateRecord('farm_events', event.id, times, { label, shown: {} }),
    ),
  );
}

/** The elements of days. */
const dayElement = '[role="group"]';
/** Days by which an arrow key moves. */
const dayKeys: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Listed only: see {@link goToDay}. */
const gridKeys: ShortcutGroup = {
  title: () => scheduleText().title,
  shortcuts: [{ keys: 'ArrowUp', label: () => scheduleText().arrowKeys }],
};

/** Moves the focus to the link of a day beside, above or below. */
function goToDay(event: KeyboardEvent<HTMLElement>): void {
  const days = dayKeys[event.key];
  const from = event.target instanceof Element ? event.target.closest(dayElement) : null;
  if (days === undefined || !from || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...event.currentTarget.querySelectorAll(dayElement)];
  const next = all[all.indexOf(from) + days]?.querySelector('a');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Days as a grid of weeks. Arrow keys go from day to day. Entries are moved to another day by dragging, or by keyboard with their handle. */
export function DayGrid({ runs, startedRuns, first, end, now, month, events, zone }: DayGridProps) {
  useShortcuts(gridKeys);
  const byDay = groupBy(runs, ({ day }) => day.toString());
  const startedByDay = groupBy(startedRuns, ({ day }) => day.toString());
  const days: CalendarDate[] = [];
  for (let day = first; day.compare(end) < 0; day = day.add({ days: 1 })) days.push(day);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are reached without arrow keys, too
    <div className={`${styles.grid} ${month === null ? styles.week : ''}`} onKeyDown={goToDay}>
      {days.slice(0, 7).map((day) => (
        <div key={day.toString()} className={styles.weekday} aria-hidden="true">
          {formatWeekday(day)}
        </div>
      ))}
      {days.map((day) => (
        <Day
          key={day.toString()}
          day={day}
          runs={byDay.get(day.toString()) ?? []}
          startedRuns={startedByDay.get(day.toString()) ?? []}
          isToday={day.compare(now) === 0}
          isOutside={month !== null && day.month !== month}
          isWhole={month === null}
          onMove={(id, from) => {
            const event = events.find((each) => each.id === id);
            if (event) void moveEvent(event, from, day, zone);
          }}
        />
      ))}
    </div>
  );
}

interface DayProps {
  readonly day: CalendarDate;
  readonly runs: readonly Run[];
  readonly startedRuns: readonly StartedRun[];
  readonly isToday: boolean;
  readonly isOutside: boolean;
  readonly isWhole: boolean;
  readonly onMove: (eventId: number, from: string) => void;
}

function Day({ day, runs, startedRuns, isToday, isOutside, isWhole, onMove }: DayProps) {
  const text = scheduleText();
  const ref = useRef<HTMLDivElement>(null);
  const mayWrite = useMayWrite();
  const { dropProps, isDropTarget } = useDrop({
    ref,
    getDropOperation: (types) => (mayWrite && types.has(runType) ? 'move' : 'cancel'),
    async onDrop({ items }) {
      const [item] = items;
      if (item?.kind !== 'text') return;
      const { event, from } = JSON.parse(await item.getText(runType));
      onMove(event, from);
    },
  });
  const entries = entriesOf(runs, startedRuns);
  const shown = usePrinting() || isWhole ? entries : entries.slice(0, maxShown);
  return (
    <div
      {...dropProps}
      ref={ref}
      role="group"
      // The focus goes from target to target while an entry is moved by keyboard.
      tabIndex={-1}
      aria-label={formatDay(day)}
      className={`${styles.day} ${isToday ? styles.today : ''} ${isOutside ? styles.outside : ''} ${isDropTarget ? styles.target : ''}`}
    >
      <header>
        <Link
          from="/schedule"
          to="/schedule"
          search={{ view: 'list', date: day.toString() }}
          aria-label={formatDay(day)}
          data-weekday={formatWeekday(day)}
        >
          {day.day}
        </Link>
        {mayWrite ? (
          <Link
            from="/schedule"
            to="/schedule"
            search={(before) => ({ ...before, new: day.toString() })}
            className={styles.addDay}
            aria-label={text.addOn(formatDay(day))}
          >
            <Plus size={16} aria-hidden="true" />
          </Link>
        ) : null}
      </header>
      {shown.map((entry) =>
        'run' in entry ? (
          <DraggableRun key={keyOf(entry)} {...entry} />
        ) : (
          <StartedRunEntry key={keyOf(entry)} run={entry.started} />
        ),
      )}
      {entries.length > shown.length ? (
        <Link from="/schedule" to="/schedule" search={{ view: 'list', date: day.toString() }} className={styles.more}>
          {text.moreRuns(entries.length - shown.length)}
        </Link>
      ) : null}
    </div>
  );
}

function DraggableRun({ run, count }: { readonly run: Run; readonly count: number }) {
  // What is past stays where it was.
  const isMovable = useMayWrite() && run.outcome === null;
  const handle = useRef<HTMLDivElement>(null);
  const { dragProps, dragButtonProps } = useDrag({
    getItems: () => [{ [runType]: JSON.stringify({ event: run.farm_event_id, from: run.day.toString() }) }],
    hasDragButton: true,
    isDisabled: !isMovable,
  });
  const { buttonProps } = useButton(
    { ...dragButtonProps, 'aria-label': scheduleText().move(`${run.clock} ${run.sequence_name}`), elementType: 'div' },
    handle,
  );
  return (
    <div {...(isMovable ? dragProps : {})} className={styles.entry}>
      {isMovable ? (
        <div {...buttonProps} ref={handle} className={styles.handle}>
          <GripVertical size={14} aria-hidden="true" />
        </div>
      ) : null}
      <RunLink run={run} count={count} />
    </div>
  );
}
