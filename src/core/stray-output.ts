import type { EventEmitter } from 'node:events';
import { systemClock } from './clock.ts';
import { FixedWindow } from './fixed-window.ts';
import { logText } from './log-text.ts';
import type { Logger } from './logger.ts';

/** Maximum number of lines per minute. */
const maxLines = 60;

/** The part of the process whose output is captured. */
export interface OutputProcess extends EventEmitter {
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
  exit(code: number): void;
}

/**
 * Has the log contain what libraries, threads and Node itself would write between its lines, as a field; at most 60 lines a minute.
 * An unexpected error ends the process as before, with a line of the log. Returns a function that ends this.
 */
export function captureStrayOutput(log: Logger, target: OutputProcess = process): () => void {
  const window = new FixedWindow(maxLines, 60_000);
  let suppressed = 0;
  const report = (fields: object): void => {
    if (!window.consume('', systemClock.now())) {
      suppressed++;
      return;
    }
    log.warn({ ...fields, ...(suppressed > 0 && { suppressed }) }, 'a part of the program wrote outside of the log');
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
  const onWarning = ({ name, message }: Error): void => report({ output: logText(`${name}: ${message}`) });
  const onError = (error: unknown): void => {
    log.error({ reason: error instanceof Error ? error.stack : String(error) }, 'an unexpected error ends the server');
    target.exit(1);
  };
  target.on('warning', onWarning);
  target.on('uncaughtException', onError);
  return () => {
    for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write;
    target.off('warning', onWarning);
    for (const each of defaults) target.on('warning', each);
    target.off('uncaughtException', onError);
  };
}
