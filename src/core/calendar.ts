/** Returns the same day and time some months earlier, or the last day of that month if it is shorter. In ms since the epoch. */
export function monthsBefore(ms: number, months: number): number {
  const time = new Date(ms);
  const day = time.getUTCDate();
  time.setUTCDate(1);
  time.setUTCMonth(time.getUTCMonth() - months);
  const days = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate();
  time.setUTCDate(Math.min(day, days));
  return time.getTime();
}
