/** Messages about fields, by their names, and the values of the form that they are about. */
export interface FailedValues {
  readonly problems: Readonly<Record<string, string>>;
  readonly values: object;
}

/** Returns the problems that may still hold: of fields whose values are as they were sent, and, if none changed, all. */
export function remainingProblems({ problems, values: sent }: FailedValues, now: object): FailedValues['problems'] {
  const valueIn = (values: object, name: string): string | undefined => JSON.stringify(Reflect.get(values, name));
  const names = new Set([...Object.keys(sent), ...Object.keys(now)]);
  const changed = new Set([...names].filter((name) => valueIn(sent, name) !== valueIn(now, name)));
  if (changed.size === 0) return problems;
  return Object.fromEntries(Object.entries(problems).filter(([field]) => names.has(field) && !changed.has(field)));
}
