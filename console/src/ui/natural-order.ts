const collator = new Intl.Collator(undefined, { numeric: true });

/** Compares names as people order them: “Bed 2” is before “Bed 10”. */
export const compareNames = (one: string, other: string): number => collator.compare(one, other);

/** Returns records in the order of their names. */
export const byName = <T extends { readonly name: string | null }>(records: readonly T[]): readonly T[] =>
  [...records].sort((a, b) => compareNames(a.name ?? '', b.name ?? ''));
