import { groupBy } from '../data/groups.ts';
/** A program in a regimen, with its time after the start's midnight, in ms. */
export interface PlanItem {
  readonly sequence_id: number;
  readonly time_offset: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** The API accepts no more items. */
const maxItems = 500;

/** `07:30` in ms after midnight. Throws for anything else. */
export function offsetOf(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  if (hours === undefined || minutes === undefined || Number.isNaN(hours + minutes))
    throw new Error(`no time: ${clock}`);
  return (hours * 60 + minutes) * minute;
}

/** Returns the items by day, the first day being 1, in the order in which they run. */
export function planDays(items: readonly PlanItem[]): readonly {
  readonly day: number;
  readonly items: readonly PlanItem[];
}[] {
  const sorted = [...items].sort((one, other) => one.time_offset - other.time_offset);
  const days = groupBy(sorted, ({ time_offset }) => Math.floor(time_offset / day) + 1);
  return [...days].map(([number, members]) => ({ day: number, items: members }));
}

/** Returns the items of a program that runs on a day, and every so many days until another. */
export function repeatedItems(
  sequence_id: number,
  clock: string,
  first: number,
  every: number,
  last: number,
): readonly PlanItem[] {
  const items: PlanItem[] = [];
  for (let each = first; each <= Math.max(first, last) && items.length < maxItems; each += Math.max(1, every))
    items.push({ sequence_id, time_offset: (each - 1) * day + offsetOf(clock) });
  return items;
}
