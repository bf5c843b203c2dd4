/** The pins of a status, by number. */
export type Pins = Readonly<Record<string, { readonly mode: number | null; readonly value: number | null }>>;

/** A value of an analog pin, and when it was read or first received, in ms since the epoch. */
export interface PinReading {
  readonly value: number;
  readonly at: number;
}

/** The last value of each analog pin in the statuses of a robot, which forgets its pins when it starts. */
export class PinReadings {
  readonly #readings = new Map<string, PinReading>();
  /** The pins of the status before. */
  #pins: Pins = {};

  /** Takes the values that are new in a status: each repeats those before. */
  update({ pins, received_at }: { readonly pins: Pins; readonly received_at: string }): void {
    for (const [pin, { mode, value }] of Object.entries(pins)) {
      const before = this.#pins[pin];
      const isNew = before?.value !== value || before.mode !== mode;
      // A digital value of the pin is none of the sensor.
      if (isNew && value !== null && mode !== 0) this.#readings.set(pin, { value, at: Date.parse(received_at) });
    }
    this.#pins = pins;
  }

  /** Returns the newer one of the last value of a pin and a stored reading; null: there is neither. */
  newest(pin: number, stored: PinReading | null): number | null {
    const reported = this.#readings.get(String(pin));
    const newest = reported && (stored === null || reported.at >= stored.at) ? reported : stored;
    return newest?.value ?? null;
  }
}
