import { isDeepStrictEqual } from 'node:util';

/** A record as HTTP shows it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** A field whose value a change replaced. */
export interface FieldDifference {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Parses the JSON of a record; null: there is none. */
export const parseRecord = (json: string | null): ShownRecord | null =>
  json === null ? null : (JSON.parse(json) as ShownRecord);

/** The time of the change itself. */
const isUncompared = (field: string): boolean => field === 'updated_at';

/** Returns the fields that differ, in the order of the record. A missing record has no fields. */
export function differences(before: ShownRecord | null, after: ShownRecord | null): FieldDifference[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields]
    .filter((field) => !isUncompared(field) && !isDeepStrictEqual(before?.[field], after?.[field]))
    .map((field) => ({ field, before: before?.[field] ?? null, after: after?.[field] ?? null }));
}
