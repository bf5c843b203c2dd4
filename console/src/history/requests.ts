/** An entry of the list of changes. */
interface Listed {
  readonly id: number;
  readonly request: string;
}

/** Neighbors in the list that one request changed. */
export interface RequestChanges<T extends Listed> {
  readonly request: string;
  /** Newest first; at least one. */
  readonly entries: readonly [T, ...T[]];
}

/** Groups adjacent changes of one request. */
export function byRequest<T extends Listed>(entries: readonly T[]): readonly RequestChanges<T>[] {
  const groups: { request: string; entries: [T, ...T[]] }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.request === entry.request) last.entries.push(entry);
    else groups.push({ request: entry.request, entries: [entry] });
  }
  return groups;
}

/** Prepends new entries to the loaded ones; null if there may be others in between. */
export function withNew<T extends Listed>(
  read: readonly T[],
  newest: readonly T[],
  pageSize: number,
): readonly T[] | null {
  const last = read[0]?.id ?? 0;
  const added = newest.filter(({ id }) => id > last);
  return added.length === newest.length && newest.length >= pageSize ? null : [...added, ...read];
}
