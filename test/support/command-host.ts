import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** A command of the program. */
export interface HostedCommand {
  readonly program: string;
  readonly words: readonly string[];
  /** Its working directory. */
  readonly folder: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input: string;
}

/** The exit code and output of a command. */
export interface CommandResult {
  readonly code: number | null;
  /** Standard output and error, interleaved. */
  readonly output: string;
  readonly stdout: string;
}

const host = resolve(import.meta.dirname, 'command-host.mjs');
let child: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();
process.on('exit', () => child?.kill('SIGKILL'));

/** Runs a command in a process that later commands share, because most of the time of a command is the start of its process. One at a time. */
export function runHosted(command: HostedCommand): Promise<CommandResult> {
  const result = last.then(() => perform(command));
  last = result.catch(() => {
    child?.kill('SIGKILL');
    child = null;
  });
  return result;
}

async function started(program: string): Promise<ChildProcess> {
  if (child) return child;
  child = spawn(process.execPath, [host, program], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8');
  await once(child, 'message');
  // It must not keep the process of the tests alive.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();
  return child;
}

async function perform({ program, ...command }: HostedCommand): Promise<CommandResult> {
  const process = await started(program);
  const end = `end of ${randomUUID()} `;
  const text = { output: '', stdout: '' };
  return new Promise<CommandResult>((settle, reject) => {
    const ended = new Set<string>();
    let code: number | null = null;
    const listeners = (['stdout', 'stderr'] as const).map((stream) => {
      let part = '';
      const listener = (received: string): void => {
        part += received;
        const [own = '', rest] = part.split(end);
        // Without a possible beginning of the end.
        const complete = rest === undefined ? own.slice(0, Math.max(0, own.lastIndexOf('\n') + 1)) : own;
        text.output += complete;
        if (stream === 'stdout') text.stdout += complete;
        part = part.slice(complete.length);
        if (rest === undefined || !rest.includes('\n')) return;
        if (stream === 'stdout') code = Number(rest);
        ended.add(stream);
        if (ended.size === 2) finish(() => settle({ code, ...text }));
      };
      process[stream]?.on('data', listener);
      return () => process[stream]?.off('data', listener);
    });
    const fail = (): void => finish(() => reject(new Error(`the host of commands ended:\n${text.output}`)));
    const timer = setTimeout(() => finish(() => reject(new Error('the command did not end within 60 s'))), 60_000);
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      process.off('exit', fail);
      for (const remove of listeners) remove();
      act();
    };
    process.once('exit', fail);
    process.send({ ...command, end });
  });
}
