import { setTimeout as sleep } from 'node:timers/promises';
import type { Pin, Xyz } from 'farmbot';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import { axes, StepError, type Vector } from './nodes.ts';
import { SoilMoisture } from './soil-moisture.ts';

/** A clock that can also wait. */
export interface PausableClock extends Clock {
  /** Waits. Rejects if the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** The system's clock. */
export const systemTime: PausableClock = {
  now: systemClock.now,
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};

export interface MachineOptions {
  /** The first position, in mm; 0 by default. */
  readonly position?: Vector | undefined;
  /** The speed of each axis at 100 %, in mm/s. */
  readonly speed: number;
  /** Interval between position updates while moving, in ms. */
  readonly tick: number;
  readonly time: PausableClock;
  /** Called after every change of the visible state. */
  readonly changed: () => void;
}

/** The speed of each axis, in percent. */
export type Speeds = Readonly<Record<Xyz, number>>;

export const fullSpeed: Speeds = { x: 100, y: 100, z: 100 };

/** The simulated machine: three axes, the pins, and the soil below. */
export class Machine {
  readonly #speed: number;
  readonly #tick: number;
  readonly #time: PausableClock;
  readonly #changed: () => void;
  #position: Vector;
  readonly #pins = new Map<string, Pin>();
  readonly #written = new Map<string, number>();
  readonly #soil = new SoilMoisture();
  readonly #openValves = new Set<string>();
  #wateredUntil = 0;
  #isLocked = false;
  #working = 0;
  #stop = new AbortController();

  constructor(options: MachineOptions) {
    this.#position = options.position ?? { x: 0, y: 0, z: 0 };
    this.#speed = options.speed;
    this.#tick = options.tick;
    this.#time = options.time;
    this.#changed = options.changed;
  }

  get position(): Vector {
    return this.#position;
  }

  /** The last values of pins by number or, for box lights, by name. */
  get pins(): ReadonlyMap<string, Pin> {
    return this.#pins;
  }

  /** The last value that was written to a pin; undefined if none was. */
  writtenValue(name: string): number | undefined {
    return this.#written.get(name);
  }

  /** The value of an analog sensor in the soil at the position. */
  get moisture(): number {
    this.#water();
    return this.#soil.valueAt(this.#position, this.#time.now());
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  get isBusy(): boolean {
    return this.#working > 0;
  }

  /** Aborted at the next stop, with a {@link StepError} as reason. Later work has a new signal. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops all work, sets the pins of the motor controller that were written to 0, as its firmware does, and rejects movements and writing to pins until it is unlocked. */
  lock(): void {
    this.#isLocked = true;
    this.#water();
    this.#openValves.clear();
    for (const name of this.#written.keys()) {
      const pin = this.#pins.get(name);
      if (!pin || Number.isNaN(Number(name))) continue;
      this.#written.set(name, 0);
      this.#pins.set(name, { ...pin, value: 0 });
    }
    this.stopWork('The emergency stop was pressed.');
  }

  unlock(): void {
    this.#isLocked = false;
    this.#changed();
  }

  /** Aborts running and waiting work. `reason` is a sentence. */
  stopWork(reason: string): void {
    this.#stop.abort(new StepError(reason));
    this.#stop = new AbortController();
    this.#changed();
  }

  /** Unlocks the machine and resets its pins. The position is kept. */
  restart(): void {
    this.stopWork('The robot restarts.');
    this.#water();
    this.#openValves.clear();
    this.#pins.clear();
    this.#written.clear();
    this.unlock();
  }

  /** Moves in a straight line. Throws {@link StepError} if it is locked or stopped, and then stays at the current position. */
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
      this.#water();
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
    this.#water();
    this.#position = target;
    this.#changed();
  }

  /** Waits without moving. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await this.whileBusy(() => this.#time.pause(ms, signal), signal);
  }

  /** Marks the machine as busy during the work. Throws the signal's reason if it was aborted. */
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

  /** Sets the current position of an axis to 0. */
  setZero(axis: Xyz): void {
    this.#water();
    this.#position = { ...this.#position, [axis]: 0 };
    this.#changed();
  }

  /** Sets a pin; one that `opensValve` waters the soil while it is on. Throws {@link StepError}. */
  setPin(name: string, pin: Pin, opensValve = false): void {
    this.ensureUnlocked();
    this.#water();
    if (opensValve && pin.value) this.#openValves.add(name);
    else this.#openValves.delete(name);
    if (typeof pin.value === 'number') this.#written.set(name, pin.value);
    this.recordPin(name, pin);
  }

  /** Stores a measured value; allowed also while locked. */
  recordPin(name: string, pin: Pin): void {
    this.#pins.set(name, pin);
    this.#changed();
  }

  /** Waters the soil at the position for the time since the last call, if a valve was open. */
  #water(): void {
    const now = this.#time.now();
    if (this.#openValves.size > 0) this.#soil.water(this.#position, now - this.#wateredUntil, now);
    this.#wateredUntil = now;
  }

  /** Throws {@link StepError}. */
  ensureUnlocked(): void {
    if (this.#isLocked) throw new StepError('The robot is locked: unlock it first.');
  }
}

const between = (from: Vector, to: Vector, part: number): Vector => {
  // Rounded to 0.01 mm.
  const on = (axis: Xyz): number => Math.round((from[axis] + (to[axis] - from[axis]) * part) * 100) / 100;
  return { x: on('x'), y: on('y'), z: on('z') };
};
