import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { systemClock } from './clock.ts';
import { FixedWindow } from './fixed-window.ts';
import { reportLateError } from './library-errors.ts';
import { logText } from './log-text.ts';
import type { Logger } from './logger.ts';

/** Maximum number of lines per minute. */
const maxLines = 60;

/** Maximum length of a warning of Node, and of its place in the code, in characters. */
const maxWarningLength = 500;

/** Maximum length of an error of a library, in characters. */
const maxReasonLength = 2000;

/** Maximum number of causes of an error that are shown. */
const maxCauses = 5;

/** A log with the level of errors that end the process. */
export interface FatalLogger extends Logger {
  fatal(object: object, message: string): void;
}

/** The part of the process whose output is captured. */
export interface OutputProcess extends EventEmitter {
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
  exit(code: number): void;
}

/** Returns the stacks of an error and of its causes, without their other properties: the URL of ERR_INVALID_URL may contain a password. */
function errorText(error: unknown, causes = maxCauses): string {
  if (!(error instanceof Error && error.stack)) return inspect(error);
  const isComplete = error.cause === undefined || causes === 0;
  return isComplete ? error.stack : `${error.stack}\nCaused by: ${errorText(error.cause, causes - 1)}`;
}

/** Returns the origin of a warning: the innermost functions of its stack that are not Node's. */
const placeOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at (?!.*\bnode:)/.test(line))
    .slice(0, 3)
    .map((line) => line.trim())
    .join(', ');

/**
 * Has the log contain the output of libraries, threads and Node itself as a field; at most 60 lines a minute.
 * An unexpected error of a library is reported to its users; one of this program ends the process as before, with a line of the log, and on the standard error whatever the log's level and
 * state are. Returns a function that ends this.
 */
export function captureStrayOutput(log: FatalLogger, target: OutputProcess = process): () => void {
  const window = new FixedWindow(maxLines, 60_000);
  let suppressed = 0;
  const report = (fields: object): void => {
    if (!window.consume('', systemClock.now())) {
      suppressed++;
      return;
    }
    log.warn({ ...fields, ...(suppressed > 0 && { suppressed }) }, 'a part of the program wrote outside the log');
    suppressed = 0;
  };
  const streams = [target.stdout, target.stderr];
  const writes = streams.map(({ write }) => write);
  for (const stream of streams)
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      report({ output: logText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()) });
      const done = rest.find((each) => typeof each === 'function');
      if (done) queueMicrotask(done as () => void);
      return true;
    };
  const defaults = target.listeners('warning') as (() => void)[];
  target.removeAllListeners('warning');
  const onWarning = (warning: Error): void =>
    report({
      output: logText(`${warning.name}: ${warning.message}`, maxWarningLength),
      stack: logText(placeOf(warning), maxWarningLength),
    });
  const restore = (): void => {
    for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write;
    target.off('warning', onWarning);
    for (const each of defaults) target.on('warning', each);
    target.off('uncaughtException', onError);
  };
  const onError = (error: unknown): void => {
    const library = reportLateError(error);
    const reason = errorText(error);
    if (library !== null) {
      if (window.consume(library, systemClock.now()))
        log.error({ library, reason: logText(reason, maxReasonLength) }, 'a library failed outside its calls');
      return;
    }
    restore();
    target.stderr.write(`An unexpected error ends the server:\n${reason}\n`);
    log.fatal({ reason }, 'an unexpected error ends the server');
    target.exit(1);
  };
  target.on('warning', onWarning);
  // Before the handler of all commands, which ends the process.
  target.prependListener('uncaughtException', onError);
  return restore;
}
