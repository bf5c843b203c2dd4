import { send } from './api.ts';
import {
  type CollectionName,
  type InputOf,
  listKey,
  patchList,
  type RecordOf,
  type UpdateOf,
  withRecord,
} from './collections.ts';
import { newLabel, whileUnanswered } from './creations.ts';
import { queryClient } from './query-client.ts';

/** Ids of records that the server does not have yet. */
let nextTemporaryId = -1;
const savedIds = new Map<number, number>();

/** Returns the id of a record that was shown with this one, which may be temporary: the server's, once it has answered. */
export const savedId = (id: number): number => savedIds.get(id) ?? id;

/**
 * Shows a change of records with these ids immediately, sends it, and rolls it back if the server rejects it, or cannot be reached. Throws
 * its ApiError.
 */
async function optimistically<C extends CollectionName, T>(
  name: C,
  ids: ReadonlySet<number>,
  show: (records: readonly RecordOf<C>[]) => readonly RecordOf<C>[],
  carryOut: () => Promise<T>,
): Promise<T> {
  const shown = queryClient.getQueryData<readonly RecordOf<C>[]>(listKey(name)) ?? [];
  const before = shown.filter(({ id }) => ids.has(id));
  const known = new Set(before.map(({ id }) => id));
  patchList(name, show);
  try {
    return await carryOut();
  } catch (error) {
    patchList(name, (records) =>
      before.reduce<readonly RecordOf<C>[]>(
        withRecord,
        records.filter(({ id }) => !ids.has(id) || known.has(id)),
      ),
    );
    // Changes of these records by others since then.
    void queryClient.invalidateQueries({ queryKey: listKey(name) });
    throw error;
  }
}

/** Of one change. */
export interface ChangeOptions<T = object> {
  /** Identifies the request in the history; see {@link undoable}. */
  readonly label?: string;
  /** Values that pages show until the response. */
  readonly shown?: Partial<T>;
}

/** Creates a record. Throws an ApiError. */
export function createRecord<C extends CollectionName>(
  name: C,
  input: InputOf<C>,
  { label = newLabel(), shown }: ChangeOptions<RecordOf<C>> = {},
): Promise<RecordOf<C>> {
  const id = nextTemporaryId--;
  // Until the response, the fields that the server fills in are missing.
  const temporary = { ...(input as object), ...shown, id } as RecordOf<C>;
  return whileUnanswered(name, label, () =>
    optimistically(
      name,
      new Set([id]),
      (records) => [...records, temporary],
      async () => {
        const record = await send<RecordOf<C>>('POST', `/api/${name}`, input, label);
        savedIds.set(id, record.id);
        patchList(name, (records) =>
          withRecord(
            records.filter((other) => other.id !== id),
            record,
          ),
        );
        return record;
      },
    ),
  );
}

/** Changes fields of a record. Throws an ApiError. */
export function updateRecord<C extends CollectionName>(
  name: C,
  id: number,
  update: UpdateOf<C>,
  { label, shown = update as Partial<RecordOf<C>> }: ChangeOptions<RecordOf<C>> = {},
): Promise<RecordOf<C>> {
  return optimistically(
    name,
    new Set([id]),
    (records) => records.map((record) => (record.id === id ? { ...record, ...shown } : record)),
    async () => {
      const record = await send<RecordOf<C>>('PATCH', `/api/${name}/${id}`, update, label);
      patchList(name, (records) => withRecord(records, record));
      return record;
    },
  );
}

/** A request of {@link sendTogether}. */
export interface BatchPart {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Sends up to a hundred requests, all or none; later ones may refer to the responses of earlier ones. Throws an ApiError. */
export const sendTogether = (parts: readonly BatchPart[], label: string): Promise<unknown> =>
  send('POST', '/api/batch', parts, label);

/** Creates points, up to 500: all of them or none. Throws an ApiError. */
export async function createPoints(inputs: readonly InputOf<'points'>[], { label }: ChangeOptions = {}): Promise<void> {
  const points = await send<readonly RecordOf<'points'>[]>('POST', '/api/points/bulk', { points: inputs }, label);
  patchList('points', (all) => points.reduce(withRecord, all));
}

/** Changes fields of points, of all or of none. Throws an ApiError. */
export function updatePoints(
  updates: ReadonlyMap<number, UpdateOf<'points'>>,
  { label }: ChangeOptions = {},
): Promise<void> {
  return optimistically(
    'points',
    new Set(updates.keys()),
    (points) => points.map((point) => ({ ...point, ...(updates.get(point.id) as object) })),
    async () => {
      const body = { points: [...updates].map(([id, update]) => ({ id, ...update })) };
      const changed = await send<readonly RecordOf<'points'>[]>('PATCH', '/api/points/bulk', body, label);
      const byId = new Map(changed.map((point) => [point.id, point]));
      patchList('points', (points) => points.map((point) => byId.get(point.id) ?? point));
    },
  );
}

/** Ids in one address of a deletion: proxies refuse addresses that are longer than about 8 KB. */
const maxIdsInAddress = 200;

/** Parts of a batch of requests. */
const maxParts = 100;

/** Deletes records, all or none; of more than a hundred that are no points, a hundred at a time. Throws an ApiError. */
export function deleteRecords<C extends CollectionName>(
  name: C,
  ids: readonly number[],
  { label = newLabel() }: ChangeOptions = {},
): Promise<void> {
  const isDeleted = new Set<number>(ids);
  return optimistically(
    name,
    isDeleted,
    (records) => records.filter(({ id }) => !isDeleted.has(id)),
    async () => {
      // Only points are deleted several at a time.
      const atOnce = name === 'points' ? maxIdsInAddress : 1;
      const parts: BatchPart[] = [];
      for (let from = 0; from < ids.length; from += atOnce)
        parts.push({ method: 'DELETE', path: `/api/${name}/${ids.slice(from, from + atOnce).join(',')}` });
      const [only, ...others] = parts;
      if (only && others.length === 0) return send<void>('DELETE', only.path, undefined, label);
      for (let from = 0; from < parts.length; from += maxParts)
        await sendTogether(parts.slice(from, from + maxParts), label);
    },
  );
}
