import type { Pin, Xyz } from 'farmbot';
import { axes, StepError, type Vector } from './nodes.ts';
import type { PausableClock } from './time.ts';

export interface MachineOptions {
  /** Of each axis at 100 %, in millimetres per second. */
  readonly speed: number;
  /** Milliseconds between two positions while it moves. */
  readonly tick: number;
  readonly time: PausableClock;
  /** Is told of every change that can be seen. */
  readonly changed: () => void;
}

/** How fast each axis goes, in percent. */
export type Speeds = Readonly<Record<Xyz, number>>;

export const fullSpeed: Speeds = { x: 100, y: 100, z: 100 };

/** The pretend machine: three axes and some pins. */
export class Machine {
  readonly #speed: number;
  readonly #tick: number;
  readonly #time: PausableClock;
  readonly #changed: () => void;
  #position: Vector = { x: 0, y: 0, z: 0 };
  readonly #pins = new Map<string, Pin>();
  #isLocked = false;
  #working = 0;
  #stop = new AbortController();

  constructor(options: MachineOptions) {
    this.#speed = options.speed;
    this.#tick = options.tick;
    this.#time = options.time;
    this.#changed = options.changed;
  }

  get position(): Vector {
    return this.#position;
  }

  /** What was written to pins or read from them, by number or, for the lights of the box, by name. */
  get pins(): ReadonlyMap<string, Pin> {
    return this.#pins;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  get isBusy(): boolean {
    return this.#working > 0;
  }

  /** Ends at the next stop; later work has another signal. Its reason is a {@link StepError}. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops everything, and refuses movements and writing to pins until it is unlocked. */
  lock(): void {
    this.#isLocked = true;
    this.stopWork('The emergency stop was pressed.');
  }

  unlock(): void {
    this.#isLocked = false;
    this.#changed();
  }

  /** Ends what is under way and what waits. `reason` is a sentence. */
  stopWork(reason: string): void {
    this.#stop.abort(new StepError(reason));
    this.#stop = new AbortController();
    this.#changed();
  }

  /** As after switching it on: unlocked, pins forgotten. It remembers where it is. */
  restart(): void {
    this.stopWork('The robot restarts.');
    this.#pins.clear();
    this.unlock();
  }

  /** Moves in a straight line. Throws {@link StepError} when it is locked or stopped, and stays where it was then. */
  async moveTo(target: Vector, speeds: Speeds, signal: AbortSignal): Promise<void> {
    this.ensureUnlocked();
    signal.throwIfAborted();
    const from = this.#position;
    const seconds = Math.max(
      ...axes.map((axis) => Math.abs(target[axis] - from[axis]) / ((this.#speed * speeds[axis]) / 100)),
    );
    const began = this.#time.now();
    const go = (): number => {
      const left = seconds * 1000 - (this.#time.now() - began);
      const part = left <= 0 ? 1 : 1 - left / (seconds * 1000);
      this.#position = left <= 0 ? target : between(from, target, part);
      this.#changed();
      return left;
    };
    await this.whileBusy(async () => {
      let left = seconds * 1000;
      while (left > 0) {
        try {
          await this.#time.pause(Math.min(this.#tick, left), signal);
        } finally {
          left = go();
        }
      }
    }, signal);
    this.#position = target;
    this.#changed();
  }

  /** Waits without moving. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await this.whileBusy(() => this.#time.pause(ms, signal), signal);
  }

  /** Is busy as long as the work takes. When the signal ended it, throws the signal's reason. */
  async whileBusy(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#working++;
    this.#changed();
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      this.#working--;
      this.#changed();
    }
  }

  /** Calls the present place of an axis 0. */
  setZero(axis: Xyz): void {
    this.#position = { ...this.#position, [axis]: 0 };
    this.#changed();
  }

  setPin(name: string, pin: Pin): void {
    this.ensureUnlocked();
    this.recordPin(name, pin);
  }

  /** Remembers what was measured; allowed also when it is locked. */
  recordPin(name: string, pin: Pin): void {
    this.#pins.set(name, pin);
    this.#changed();
  }

  /** Throws {@link StepError}. */
  ensureUnlocked(): void {
    if (this.#isLocked) throw new StepError('The robot is locked: unlock it first.');
  }
}

const between = (from: Vector, to: Vector, part: number): Vector => {
  // Hundredths of a millimetre are more than any motor knows.
  const on = (axis: Xyz): number => Math.round((from[axis] + (to[axis] - from[axis]) * part) * 100) / 100;
  return { x: on('x'), y: on('y'), z: on('z') };
};
