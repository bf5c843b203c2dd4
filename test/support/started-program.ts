import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { endsWithWorker } from './worker-end.ts';

/** The programs that run, and the signals that end them with the tests. */
const running = new Map<ChildProcess, NodeJS.Signals>();
endsWithWorker(() => {
  for (const [child, signal] of running) child.kill(signal);
});

/** The options of a program's start. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** No input, and output that is kept, by default. */
  readonly stdio?: StdioOptions;
  /** SIGKILL by default. */
  readonly endSignal?: NodeJS.Signals;
}

/** Whether a started program has not ended yet. */
export const isRunning = (child: ChildProcess): boolean => running.has(child);

/** Starts a program that ends with the tests at the latest, and has its output kept. */
export function startProgram(
  program: string,
  words: readonly string[],
  { cwd, env, stdio = ['ignore', 'pipe', 'pipe'], endSignal = 'SIGKILL' }: ProgramOptions,
  keep: (output: string, stream: 'stdout' | 'stderr') => void,
): ChildProcess {
  const child = spawn(program, words, { cwd, env, stdio });
  running.set(child, endSignal);
  child.once('close', () => running.delete(child));
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (part: string) => keep(part, stream));
  return child;
}
