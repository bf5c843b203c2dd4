import type { CollectionName } from './collections.ts';

/** Creations of one list under one label that the server has not answered yet. */
interface Unanswered {
  count: number;
  /** Changes of their records that wait for the responses, by id. */
  readonly held: Map<number, () => void>;
}

const creations = new Map<string, Unanswered>();

const keyOf = (name: CollectionName, label: string | null): string => `${name} ${label}`;

/** Returns a label for requests: their changes have it in the feed and in the history. */
export const newLabel = (): string => crypto.randomUUID?.() ?? `console-${Date.now()}-${Math.random()}`;

/** Runs a creation. Changes of its record in the feed wait until the response: otherwise the record would show twice. */
export async function whileUnanswered<T>(name: CollectionName, label: string, create: () => Promise<T>): Promise<T> {
  const key = keyOf(name, label);
  const unanswered = creations.get(key) ?? { count: 0, held: new Map() };
  creations.set(key, unanswered);
  unanswered.count++;
  try {
    return await create();
  } finally {
    if (--unanswered.count === 0) {
      creations.delete(key);
      for (const apply of unanswered.held.values()) apply();
    }
  }
}

/** Applies a change of the feed to a list: now, or after the answer if it is about a record that this page is creating. */
export function applyChange(
  name: CollectionName,
  { id, label }: { readonly id: number; readonly label: string | null },
  apply: () => void,
): void {
  const known = [...creations].find(([key, { held }]) => key.startsWith(`${name} `) && held.has(id))?.[1];
  const unanswered = known ?? creations.get(keyOf(name, label));
  if (unanswered) unanswered.held.set(id, apply);
  else apply();
}
