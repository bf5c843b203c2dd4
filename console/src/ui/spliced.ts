/** Returns a copy of a list with other items at a place. Older browsers have no `toSpliced` and `with`. */
export const spliced = <T>(list: readonly T[], index: number, count: number, ...items: readonly T[]): T[] => [
  ...list.slice(0, index),
  ...items,
  ...list.slice(index + count),
];
