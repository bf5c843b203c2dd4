import { Worker } from 'node:worker_threads';
import type { Message } from '../../core/message.ts';
import { endRested } from '../../core/thread-end.ts';
import { Deferred } from '../deferred.ts';
import { sayOfRobot } from '../log-messages.ts';
import { StepError } from '../nodes.ts';
import { ThreadTime } from './thread-time.ts';

/** Limits of scripts. */
export interface LuaLimits {
  /** Maximum computing time of a script and the scripts that it runs, in ms, without the time in the robot's functions: CPU time, or a third of the time of the clock if that is more. */
  readonly computing: number;
  /** In bytes, for each script. */
  readonly memory: number;
  /** Maximum number of scripts that run each other. */
  readonly depth: number;
  /** How long an unused thread is kept, in ms. */
  readonly idle: number;
  /** After this time of computing, in ms, a script pauses for others. */
  readonly slice: number;
  /** How long it may compute without a pause, in ms of CPU time where the system reports a thread's: no pause is possible inside a function of Lua's library, or in a finalizer. */
  readonly unpaused: number;
}

export const luaLimits: LuaLimits = {
  computing: 10_000,
  memory: 16 * 2 ** 20,
  depth: 5,
  idle: 30_000,
  slice: 50,
  unpaused: 500,
};

/**
 * Begins a stretch of computing when the script may compute; the stretch ends with the promise that `begin` returns. Rejects if the
 * signal is aborted before. `onWait`: receives the reason, the end of a sentence, when a budget is used up.
 */
export type ScriptScheduler = (
  begin: () => Promise<void>,
  signal: AbortSignal,
  onWait: (reason: string) => void,
) => Promise<void>;

/** Of a script that shares the machine with no others. */
const unshared: ScriptScheduler = (begin) => begin();

/** Maximum ratio of a script's time by the clock to its computing time. */
const maxSlowness = 3;

/** Maximum heap of the thread besides the memory of Lua, in MiB. */
const maxHeap = 64;

/** The value of a pin that a script watches. */
export interface PinChange {
  readonly pin: number;
  readonly value: number;
}

/** Calls a function of the robot for a script. Its errors become errors of the script. */
export type LuaCall = (
  name: string,
  args: readonly unknown[],
) => Promise<{ readonly results: readonly unknown[]; readonly changes: readonly PinChange[] }>;

/** A script. `formula`: the expression to compile if it is no script. `isStandard`: Lua 5.4 runs it, instead of the robot's dialect. */
export interface LuaProgram {
  readonly code: string;
  readonly formula: string | null;
  readonly isStandard: boolean;
}

/** Messages of lua-worker.mjs. */
type WorkerMessage =
  | { readonly kind: 'paused' }
  | { readonly kind: 'longList' }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'result'; readonly succeeded: boolean; readonly value: unknown; readonly isFormula: boolean };

interface Run {
  readonly call: LuaCall;
  readonly log: (message: string | Message) => void;
  readonly result: Deferred<unknown>;
}

/** The time from a message to the thread until the next one from it. */
interface Stretch {
  readonly wait: AbortController;
  readonly ended: Deferred<void>;
}

/** Describes an error of Lua. Its messages begin with `line:7:`, or `robot-functions:7:` in functions of robot-functions.lua. */
const problemOf = (message: string): string =>
  message.startsWith('line:')
    ? message.replace('line:', 'Lua, line ')
    : `Lua: ${message.replace(/^(sandbox|robot-functions|dialect):\d+: /, '')}`;

/** Runs Lua in a thread that can be ended at any time: it pauses by itself. One script at a time, and the scripts that it runs. */
export class LuaThread {
  readonly #names: readonly string[];
  readonly #sentenceOf: (error: unknown) => string;
  readonly #limits: LuaLimits;
  readonly #scheduler: ScriptScheduler;
  #worker: Worker | null = null;
  /** Resolves when the former thread has ended: a robot has one at a time. */
  #ended: Promise<void> = Promise.resolve();
  /** The thread has paused once: it is started. */
  #hasStarted = false;
  /** The work that is computed, or waits for the scheduler. */
  #stretch: Stretch | null = null;
  /** The number of messages, and the thread's number in the system once it is started. */
  #wakes = new Int32Array(new SharedArrayBuffer(8));
  readonly #threadTime = new ThreadTime();
  /** The running scripts, the innermost last. */
  #runs: Run[] = [];
  /** Remaining computing time of the outermost script, in ms. */
  #remaining = 0;
  /** When the stretch began to compute, and the time that the thread had computed by then, in ms. */
  #began = { time: 0, computed: null as number | null };
  /** The outermost script has logged that it waits. */
  #hasLoggedWait = false;
  #timer: NodeJS.Timeout | undefined;

  /** `names`: the robot's functions; `sentenceOf` describes their errors. */
  constructor(
    names: readonly string[],
    sentenceOf: (error: unknown) => string,
    limits: LuaLimits = luaLimits,
    scheduler: ScriptScheduler = unshared,
  ) {
    this.#names = names;
    this.#sentenceOf = sentenceOf;
    this.#limits = limits;
    this.#scheduler = scheduler;
  }

  /**
   * Runs a script and returns its first result, in the robot's Lua or in Lua 5.4. `log` receives, once each, the reason for a wait of the script, and a note that it is a formula. Throws
   * {@link StepError}, or the signal's reason if it is aborted.
   */
  async run(
    program: LuaProgram,
    call: LuaCall,
    signal: AbortSignal,
    log: (message: string | Message) => void,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const { computing, depth } = this.#limits;
    if (this.#runs.length >= depth) throw new StepError(`Lua scripts run each other more than ${depth} deep.`);
    if (this.#runs.length === 0) {
      this.#remaining = computing;
      this.#hasLoggedWait = false;
    }
    const run = { call, log, result: new Deferred<unknown>() };
    this.#runs.push(run);
    const abort = () => this.#fail(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      this.#send({ kind: 'run', ...program });
      return await run.result.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ends the thread. A running script fails. */
  stop(): void {
    this.#fail(new StepError('The robot stops.'));
  }

  #send(message: object): void {
    clearTimeout(this.#timer);
    const stretch = { wait: new AbortController(), ended: new Deferred<void>() };
    this.#stretch = stretch;
    const begin = (): Promise<void> => {
      if (this.#stretch !== stretch) return Promise.resolve();
      this.#compute(message);
      return stretch.ended.promise;
    };
    const onWait = (reason: string): void => {
      if (!this.#hasLoggedWait) this.#runs[0]?.log(`The script waits: ${reason}.`);
      this.#hasLoggedWait = true;
    };
    this.#ended
      .then(() => this.#scheduler(begin, stretch.wait.signal, onWait))
      .catch((error: unknown) => {
        if (this.#stretch === stretch) this.#fail(new StepError(this.#sentenceOf(error)));
      });
  }

  #compute(message: object): void {
    // The time of a thread that is not started is known later.
    this.#began = { time: performance.now(), computed: this.#worker ? this.#threadTime.read() : 0 };
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    this.#limitComputing();
    // A script that reached its limit was ended.
    if (worker !== this.#worker) return;
    worker.postMessage(message);
    Atomics.add(this.#wakes, 0, 1);
    Atomics.notify(this.#wakes, 0);
  }

  /** Returns the duration and the computing time of the stretch, in ms. By the clock alone, a busy machine would end scripts that barely computed. */
  #times(): { readonly lasted: number; readonly computed: number } {
    const { time, computed } = this.#began;
    this.#threadTime.open(this.#wakes[1] ?? 0);
    const now = computed === null ? null : this.#threadTime.read();
    const lasted = performance.now() - time;
    return { lasted, computed: computed === null || now === null ? lasted : now - computed };
  }

  /** Returns the time that counts towards the limit of a script: at least a third of the time of the clock, so that an endless one ends on a busy machine while its caller waits. */
  #counted({ lasted, computed } = this.#times()): number {
    return Math.max(computed, lasted / maxSlowness);
  }

  /** Ends the script at its limits. */
  #limitComputing(): void {
    const { computing, unpaused } = this.#limits;
    const times = this.#times();
    const left = this.#remaining - this.#counted(times);
    const isLast = !this.#hasStarted || this.#remaining <= unpaused;
    const unpausedLeft = isLast ? left : unpaused - times.computed;
    if (left <= 0) this.#fail(new StepError(`A Lua script may compute for at most ${computing / 1000} s.`));
    else if (unpausedLeft <= 0)
      this.#fail(
        new StepError(`A function of Lua's library, or a finalizer, may compute for at most ${unpaused / 1000} s.`),
      );
    else this.#timer = setTimeout(() => this.#limitComputing(), Math.ceil(Math.min(left, unpausedLeft)));
  }

  #start(): Worker {
    this.#wakes = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL('./lua-worker.mjs', import.meta.url), {
      workerData: { wakes: this.#wakes, names: this.#names, memory: this.#limits.memory, slice: this.#limits.slice },
      // Lua does not need the environment and arguments of the program.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeap },
    });
    worker.unref();
    worker.on('message', (message: WorkerMessage) => {
      if (worker === this.#worker) this.#receive(message);
    });
    worker.on('error', () => {
      if (worker === this.#worker) this.#fail(new StepError('The Lua script needed too much memory or stack.'));
    });
    return worker;
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === 'longList') {
      this.#runs.at(-1)?.log(sayOfRobot.longList);
      return;
    }
    clearTimeout(this.#timer);
    this.#remaining -= this.#counted();
    this.#endStretch();
    if (message.kind === 'paused') {
      this.#hasStarted = true;
      this.#send({ kind: 'continue' });
      return;
    }
    const run = message.kind === 'result' ? this.#runs.pop() : this.#runs.at(-1);
    if (message.kind === 'call') {
      if (run) void this.#respond(run, message.name, message.args);
      return;
    }
    if (message.isFormula) run?.log(sayOfRobot.misreadFormula);
    if (message.succeeded) run?.result.resolve(message.value);
    else run?.result.reject(new StepError(problemOf(String(message.value))));
    if (this.#runs.length === 0) this.#endWhenIdle();
  }

  async #respond(run: Run, name: string, args: readonly unknown[]): Promise<void> {
    const response = await run.call(name, args).then(
      (result) => ({ succeeded: true, ...result }),
      (error: unknown) => ({ succeeded: false, results: [this.#sentenceOf(error)] }),
    );
    // The script may have been ended by now.
    if (this.#runs.at(-1) === run) this.#send({ kind: 'response', ...response });
  }

  #endStretch(): void {
    const stretch = this.#stretch;
    this.#stretch = null;
    stretch?.wait.abort();
    stretch?.ended.resolve();
  }

  #endWhenIdle(): void {
    this.#timer = setTimeout(() => this.#end(), this.#limits.idle);
    this.#timer.unref();
  }

  #fail(reason: Error): void {
    const runs = this.#runs.splice(0);
    this.#end();
    for (const { result } of runs.reverse()) result.reject(reason);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#endStretch();
    const worker = this.#worker;
    this.#worker = null;
    this.#threadTime.close();
    this.#hasStarted = false;
    // It does not continue after its next pause.
    if (worker) this.#ended = endRested(worker);
  }
}
