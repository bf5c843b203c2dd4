import { startOfLocalDay, ZoneOffsets } from '../core/local-day.ts';
import type { Message } from '../core/message.ts';
import { say, timeIn } from './messages.ts';

/** What a sentence is about, in the order in which they are shown. */
export const itemKinds = ['offline', 'failed', 'ran', 'next', 'dry', 'ripe', 'ripens', 'sow'] as const;

/** A sentence about today. */
export interface Item {
  readonly kind: (typeof itemKinds)[number];
  readonly message: Message;
  /** When it happened, or will; in ms. */
  readonly at?: number;
  /** The points that it is about. */
  readonly points?: readonly number[];
}

/** A day of a garden, until a moment of it. Times are in ms since the epoch. */
export class Day {
  readonly now: number;
  readonly zone: string;
  readonly start: number;

  constructor(now: number, zone: string) {
    this.now = now;
    this.zone = zone;
    this.start = startOfLocalDay(zone, now);
  }

  /** Returns the date of the day, or of one so many days later: `2040-04-01`. */
  date(days = 0): string {
    // Noon: a day may have 23 or 25 hours.
    const noon = startOfLocalDay(this.zone, this.start + days * 86_400_000 + 43_200_000) + 43_200_000;
    return new ZoneOffsets(this.zone).format(noon).slice(0, 10);
  }

  /** Returns the clock time of a moment. */
  clock(at: number): Message {
    return timeIn(this.zone, at, { timeStyle: 'short' });
  }

  /** Returns a moment of the next seven days. */
  when(at: number): Message {
    // Noon of the day: a day may have 23 or 25 hours.
    const noon = startOfLocalDay(this.zone, at) + 43_200_000;
    const days = Math.floor((noon - this.start) / 86_400_000);
    if (days === 0) return say.today(this.clock(at));
    if (days === 1) return say.tomorrow(this.clock(at));
    return say.onDay(timeIn(this.zone, at, { weekday: 'long' }), this.clock(at));
  }

  /** Returns an earlier moment: its clock time, with the date unless it is today. */
  since(at: number): Message {
    return at >= this.start ? this.clock(at) : timeIn(this.zone, at, { dateStyle: 'medium', timeStyle: 'short' });
  }
}
