import type { Vector } from './nodes.ts';

/** Values of an analog sensor in the simulated soil: the mean of unwatered places, and that of soaked ones. */
const [mean, soaked] = [450, 850];
const day = 86_400_000;
/** How far water spreads, in mm. */
const spread = 100;
/** The time after which half of the water has dried, in ms. */
const halfLife = day / 2;
/** Seconds of water that close two thirds of the gap to soaked soil. */
const strength = 5;
/** Seconds of water that a place holds; the rest drains. */
const maxSeconds = 30;
/** Places closer than this are one, in mm. */
const grid = 50;
/** Maximum number of places with water; the one that was watered longest ago dries first. */
const maxPlaces = 1_000;

interface WateredPlace {
  readonly x: number;
  readonly y: number;
  readonly seconds: number;
  /** In ms since the epoch. */
  readonly at: number;
}

/** The clock may have been set back since. */
const remaining = ({ seconds, at }: WateredPlace, now: number): number =>
  seconds * 0.5 ** (Math.max(0, now - at) / halfLife);

/** The moisture of the simulated soil, which varies with place, time and watering. High values are wet. Times in ms since the epoch. */
export class SoilMoisture {
  /** By place in the grid. */
  readonly #watered = new Map<string, WateredPlace>();

  /** Adds the water of an open valve. */
  water({ x, y }: Vector, ms: number, now: number): void {
    const key = `${Math.round(x / grid)} ${Math.round(y / grid)}`;
    const known = this.#watered.get(key);
    const seconds = Math.min((known ? remaining(known, now) : 0) + Math.max(0, ms) / 1000, maxSeconds);
    this.#watered.delete(key);
    this.#watered.set(key, { x: known?.x ?? x, y: known?.y ?? y, seconds, at: now });
    const [oldest] = this.#watered.keys();
    if (this.#watered.size > maxPlaces && oldest !== undefined) this.#watered.delete(oldest);
  }

  /** Returns the value of an analog sensor, from 0 to 1023. */
  valueAt({ x, y }: Vector, now: number): number {
    const contrast = 1 + 0.3 * Math.sin((2 * Math.PI * now) / day);
    const unwatered = mean + contrast * (120 * Math.sin(x / 350) + 90 * Math.sin(y / 280));
    const seconds = [...this.#watered.values()].reduce((sum, place) => {
      const distance = Math.hypot(place.x - x, place.y - y);
      return sum + remaining(place, now) * Math.exp(-((distance / spread) ** 2));
    }, 0);
    return Math.round(unwatered + (soaked - unwatered) * (1 - Math.exp(-seconds / strength)));
  }
}
