import type { Logger } from 'pino';
import type { Counters } from '../core/counters.ts';
import { LogOutput } from '../core/log-output.ts';
import { textLogLine } from '../core/text-log.ts';
import type { Settings } from '../settings/settings.ts';

/** The destination of the log, and the environment's settings for it. */
export interface LogTarget {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Whether a terminal shows colors. See https://no-color.org */
export const hasColors = ({ isTerminal, environment }: LogTarget): boolean =>
  isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';

/** Opens the log. A full disk or a slow reader delays no request; see {@link LogOutput}. */
export async function openServerLog(
  { LOG_FORMAT, LOG_LEVEL }: Pick<Settings, 'LOG_FORMAT' | 'LOG_LEVEL'>,
  target: LogTarget,
  counters: Counters,
) {
  const { pino } = await import('pino');
  const isText = LOG_FORMAT === 'text' || (LOG_FORMAT === 'auto' && target.isTerminal);
  const output = new LogOutput({
    onDrop: () => counters.add('log_lines_dropped'),
    onRecovery: (lines) => logger.warn({ lines }, 'lines of the log were dropped because they could not be written'),
  });
  const options = { isDetailed: ['debug', 'trace'].includes(LOG_LEVEL), hasColors: hasColors(target) };
  const logger: Logger = pino(
    { level: LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isText ? { write: (line: string) => output.write(textLogLine(line, options)) } : output,
  );
  return {
    logger,
    /** Whether lines are for people instead of JSON. */
    isText,
    /** Writes text for people between the lines. */
    print: (text: string): void => output.write(text),
  };
}
