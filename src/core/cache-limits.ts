/** Options of an LRUCache with at most `count` entries. Unlike `max`, they reserve no memory for entries that do not exist yet. */
export const maxEntries = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 }) as const;
