const collator = new Intl.Collator(undefined, { numeric: true });

/** Compares names as people order them: “Bed 2” is before “Bed 10”. */
export const compareNames = (one: string, other: string): number => collator.compare(one, other);
