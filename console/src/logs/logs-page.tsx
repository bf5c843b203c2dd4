import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { memo, useEffect, useId, useRef, useState } from 'react';
import { csvOf, textCell } from '../../../src/core/csv-text.ts';
import type { Language } from '../../../src/core/languages.ts';
import { api, bodyOf } from '../data/api.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { attempt } from '../data/confirmation.ts';
import { FirstRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { useFormatTime } from '../data/garden-time.ts';
import { onRobotMessage, useLiveState } from '../data/live.ts';
import { logInWords } from '../data/log-words.ts';
import { queryClient } from '../data/query-client.ts';
import { onSession } from '../data/session.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { saveFile } from '../ui/download.ts';
import { ChevronDown, ChevronRight, Download } from '../ui/icons.tsx';
import { useLanguage } from '../ui/language.ts';
import { MenuButton } from '../ui/menu.tsx';
import { EmptyState, Notice, Page } from '../ui/page.tsx';
import { filteredLogs, type LogEntry, logEntryOf, withKnown, withLive } from './log-filter.ts';
import { LogFilters } from './log-filters.tsx';
import styles from './logs.module.css';
import { logsText } from './text.ts';

const logsRoute = getRouteApi('/garden/logs');

/** Rows that are shown first, and added with each press. */
const pageSize = 100;

/** Logs of the robot and the server, live. */
export function LogsPage() {
  const text = logsText();
  const navigate = useNavigate();
  const filter = logsRoute.useSearch();
  const all = logsInWords(useSuspenseQuery(logsQuery).data, useLanguage());
  const live = useLiveState();
  const hasNoRobot = useHasNoRobot();
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState<string | null>(null);
  const [limit, setLimit] = useState(pageSize);
  const { isAtTop, mark } = useTopMark();
  // The visible rows do not move: new logs wait until the user returns to the top.
  const [held, setHeld] = useState<readonly LogEntry[] | null>(null);
  const isReading = !isAtTop || open !== null;
  if (isReading && held === null) setHeld(all);
  if (!isReading && held !== null) setHeld(null);
  useEffect(() => {
    // The stream was interrupted, and messages sent in between are not repeated.
    if (live === 'live') void queryClient.invalidateQueries({ queryKey: logsQuery.queryKey });
  }, [live]);
  const isEmpty = all.length === 0;
  const now = Date.now();
  const shown = filteredLogs(held ?? all, filter, now);
  const fresh = filteredLogs(all, filter, now).length - shown.length;
  return (
    <Page
      title={text.title}
      width="full"
      actions={isEmpty ? null : <Actions logs={shown} />}
      bar={
        <>
          <div ref={mark} className={styles.mark} />
          {isEmpty ? null : <LogFilters />}
        </>
      }
    >
      {live === 'offline' ? <Notice tone="warn">{text.stale}</Notice> : null}
      {isEmpty ? null : <p className={styles.count}>{text.count(shown.length, (held ?? all).length)}</p>}
      <div role="status" className={styles.fresh}>
        {fresh > 0 ? (
          <Button
            tone="primary"
            onPress={() => {
              setOpen(null);
              setHeld(null);
              mark.current?.scrollIntoView({ block: 'end' });
            }}
          >
            {text.fresh(fresh)}
          </Button>
        ) : null}
      </div>
      {shown.length > 0 ? (
        <ol className={styles.list} aria-label={text.list}>
          {shown.slice(0, limit).map((log) => (
            <LogRow key={log.key} log={log} isOpen={open === log.key} onToggle={setOpen} />
          ))}
        </ol>
      ) : isEmpty ? (
        <EmptyState title={text.none} action={mayWrite && hasNoRobot ? <FirstRobot /> : null}>
          {text.noneHint}
        </EmptyState>
      ) : (
        <EmptyState
          title={text.noMatch}
          action={<Button onPress={() => void navigate({ to: '/logs', search: {} })}>{text.clear}</Button>}
        >
          {text.noMatchHint}
        </EmptyState>
      )}
      {shown.length > limit ? <Button onPress={() => setLimit(limit + pageSize)}>{text.older}</Button> : null}
    </Page>
  );
}

/** Whether the beginning of the list is in the window. */
function useTopMark() {
  const mark = useRef<HTMLDivElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver(([entry]) => entry && setAtTop(entry.isIntersecting));
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return { isAtTop, mark };
}

/** Saves the shown logs, and deletes everything. */
function Actions({ logs }: { readonly logs: readonly LogEntry[] }) {
  const text = logsText();
  const mayWrite = useMayWrite();
  const rowsOf = () =>
    logs.map(({ at, kind, verbosity, message, position: [x, y, z], channels, version }) => ({
      at: new Date(at).toISOString(),
      type: kind,
      verbosity,
      message,
      x,
      y,
      z,
      channels,
      version,
    }));
  const columns = ['at', 'type', 'verbosity', 'message', 'x', 'y', 'z', 'channels', 'version'] as const;
  const remove = () =>
    attempt(async () => {
      await api.DELETE('/api/logs/all');
      clearRecentLogs();
      await queryClient.invalidateQueries({ queryKey: logsQuery.queryKey });
    });
  return (
    <>
      <MenuButton
        label={text.download}
        isLabeled
        icon={<Download aria-hidden="true" />}
        isDisabled={logs.length === 0}
        entries={[
          {
            id: 'csv',
            label: text.csv,
            onAction() {
              const cellOf = (value: unknown): string =>
                typeof value === 'number' ? String(value) : textCell(String(value ?? ''));
              const table = rowsOf().map((row) => columns.map((column) => cellOf(row[column])));
              saveFile(new Blob([csvOf([columns, ...table])], { type: 'text/csv' }), 'logs.csv');
            },
          },
          {
            id: 'json',
            label: text.json,
            onAction: () =>
              saveFile(new Blob([JSON.stringify(rowsOf(), null, 2)], { type: 'application/json' }), 'logs.json'),
          },
        ]}
      />
      {mayWrite ? (
        <ConfirmButton
          tone="danger"
          word={text.remove}
          title={text.removeTitle}
          hint={text.removeWarning}
          onConfirm={() => void remove()}
        />
      ) : null}
    </>
  );
}

/** Logs by the received objects: a list is read again and again, and most of it stays. */
const known: Readonly<Record<Language, WeakMap<LogEntry, LogEntry>>> = { en: new WeakMap(), fr: new WeakMap() };

function inWords(log: LogEntry, language: Language): LogEntry {
  const shown = known[language].get(log) ?? { ...log, message: logInWords(log.message, language) };
  known[language].set(log, shown);
  return shown;
}

/** Returns logs as they are shown. */
const logsInWords = (logs: readonly LogEntry[], language: Language): readonly LogEntry[] =>
  logs.map((log) => inWords(log, language));

interface LogRowProps {
  readonly log: LogEntry;
  readonly isOpen: boolean;
  /** Gets the key of the log to show next in detail; null for none. */
  readonly onToggle: (key: string | null) => void;
}

/** A log, and its details where they are open. */
const LogRow = memo(function LogRow({ log, isOpen, onToggle }: LogRowProps) {
  const text = logsText();
  const formatTime = useFormatTime();
  const id = useId();
  const { key, at, kind, message, verbosity, position, channels, version } = log;
  const facts = [
    [text.position, position.some((each) => each !== null) ? position.map((each) => each ?? '–').join(', ') : ''],
    [text.verbosity, String(verbosity)],
    [text.channels, channels.join(', ')],
    [text.version, version],
  ] as const;
  return (
    <li className={styles.row} data-kind={kind}>
      <span className={styles.kind}>{choiceLabel('message_type', kind)}</span>
      <span className={styles.message}>{message}</span>
      <time className={styles.time} dateTime={new Date(at).toISOString()}>
        {formatTime(at, { dateStyle: 'short', timeStyle: 'medium' })}
      </time>
      <IconButton
        label={text.details(message)}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        icon={isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        onPress={() => onToggle(isOpen ? null : key)}
      />
      {isOpen ? (
        <dl id={id} className={styles.details}>
          {facts.map(([name, value]) =>
            value === '' ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
      ) : null}
    </li>
  );
});

/** Logs that arrived live and may not be stored yet: the server writes some of them together. */
const maxRecent = 200;
/** Interval between reads of logs that the robot did not send, in ms. */
const pollTime = 30_000;
let recent: readonly LogEntry[] = [];
let nextKey = 1;

/** The query of all logs that the garden keeps, the newest first. Messages of the robot are added immediately. */
const logsQuery = queryOptions({
  queryKey: ['logs'],
  async queryFn(): Promise<readonly LogEntry[]> {
    const stored = await bodyOf(api.GET('/api/logs'));
    return withLive(
      stored.flatMap((log) => logEntryOf({ ...log }, String(log.id)) ?? []),
      recent,
    );
  },
  // A log stays as it was read: a new one before it moves it only, and its row is not made again.
  structuralSharing: (before, next) =>
    withKnown(next as readonly LogEntry[], before as readonly LogEntry[] | undefined),
  // Logs that were sent while another page was open.
  refetchOnMount: 'always',
  // The stream contains messages of the robot. The server adds logs of its own.
  refetchInterval: pollTime,
});

onRobotMessage('logs', (message) => {
  const entry = logEntryOf(message, `live ${nextKey++}`);
  if (!entry) return;
  recent = [entry, ...recent].slice(0, maxRecent);
  queryClient.setQueryData(logsQuery.queryKey, (logs) => logs && [entry, ...logs]);
});

onSession(clearRecentLogs);

/** To be called when all logs were deleted. */
function clearRecentLogs(): void {
  recent = [];
}
