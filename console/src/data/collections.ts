import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { send } from './api.ts';
import type { paths } from './generated/api.ts';
import type { collectionNames } from './generated/resources.ts';
import { queryClient } from './query-client.ts';

type ListOf<P> = P extends { get: { responses: { 200: { content: { 'application/json': infer T } } } } } ? T : never;

/** The lists of the API whose changes are announced. */
export type CollectionName = {
  [K in (typeof collectionNames)[keyof typeof collectionNames]]: `/api/${K}` extends keyof paths
    ? ListOf<paths[`/api/${K}`]> extends readonly { id: number }[]
      ? K
      : never
    : never;
}[(typeof collectionNames)[keyof typeof collectionNames]];

/** A record of a list: `RecordOf<'tools'>`. */
export type RecordOf<C extends CollectionName> = Extract<ListOf<paths[`/api/${C}`]>, readonly unknown[]>[number] & {
  readonly id: number;
};

type BodyOf<P, M extends string> =
  P extends Record<M, { requestBody: { content: { 'application/json': infer T } } }>
    ? T
    : P extends Record<M, { requestBody?: { content: { 'application/json': infer T } } }>
      ? T
      : never;

/** The body that creates a record. */
export type InputOf<C extends CollectionName> = BodyOf<paths[`/api/${C}`], 'post'>;

/** The body that updates a record. */
export type UpdateOf<C extends CollectionName> = `/api/${C}/{id}` extends keyof paths
  ? BodyOf<paths[`/api/${C}/{id}`], 'patch'>
  : never;

export const listKey = (name: CollectionName) => ['list', name] as const;

/** A change of the records of a list. */
type Change = (records: readonly never[]) => readonly object[];

/** The lists that are being read, each with the changes since its request: the response may lack it. */
const readings = new Set<{ readonly name: CollectionName; readonly changes: Change[] }>();

async function readList<C extends CollectionName>(name: C): Promise<readonly RecordOf<C>[]> {
  const reading: { readonly name: C; readonly changes: Change[] } = { name, changes: [] };
  readings.add(reading);
  try {
    const records: readonly object[] = await send<readonly RecordOf<C>[]>('GET', `/api/${name}`);
    return reading.changes.reduce(
      (list, change) => change(list as readonly never[]),
      records,
    ) as readonly RecordOf<C>[];
  } finally {
    readings.delete(reading);
  }
}

/** The query of a list. */
export const listQuery = <C extends CollectionName>(name: C) =>
  queryOptions({ queryKey: listKey(name), queryFn: () => readList(name) });

/** Returns all records of a list, and suspends until they are there. The change feed keeps them current. */
export const useRecords = <C extends CollectionName>(name: C): readonly RecordOf<C>[] =>
  useSuspenseQuery(listQuery(name)).data;

/** Returns the record with this id; undefined if there is none. Suspends. */
export const useRecord = <C extends CollectionName>(name: C, id: number): RecordOf<C> | undefined =>
  useRecords(name).find((record) => record.id === id);

/** Changes the cached list, if it was read, and the readings of it in progress. */
export function patchList<C extends CollectionName>(
  name: C,
  change: (records: readonly RecordOf<C>[]) => readonly RecordOf<C>[],
): void {
  for (const reading of readings) if (reading.name === name) reading.changes.push(change);
  queryClient.setQueryData<readonly RecordOf<C>[]>(listKey(name), (records) => records && change(records));
}

/** Adds or replaces a record in a list. */
export const withRecord = <T extends { id: number }>(records: readonly T[], record: T): readonly T[] =>
  records.some(({ id }) => id === record.id)
    ? records.map((other) => (other.id === record.id ? record : other))
    : [...records, record];

/** The values of a record by field name, for code that treats all fields alike. */
export const valuesOf = (record: object): Readonly<Record<string, unknown>> =>
  record as Readonly<Record<string, unknown>>;
