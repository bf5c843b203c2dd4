import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { onRobotMessage } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { onSession } from '../data/session.ts';
import { type LogEntry, logEntryOf, withKnown, withLive } from './log-filter.ts';

/** Logs that arrived live and may not be stored yet: the server writes some of them together. */
const maxRecent = 200;
/** Interval between reads of logs that the robot did not send, in ms. */
const pollTime = 30_000;
let recent: readonly LogEntry[] = [];
let nextKey = 1;

/** The query of all logs that the garden keeps, the newest first. Messages of the robot are added immediately. */
export const logsQuery = queryOptions({
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
export function clearRecentLogs(): void {
  recent = [];
}
