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
import { queryClient } from './query-client.ts';

/** Ids of records that the server does not have yet. */
let nextTemporaryId = -1;

/** A record that was sent and has no id of the server yet. */
export const isTemporary = ({ id }: { readonly id: number }): boolean => id < 0;

/** Shows a change at once, carries it out, and takes it back when the server refuses it. Throws its ApiError. */
async function optimistically<T>(name: CollectionName, show: () => void, carryOut: () => Promise<T>): Promise<T> {
  await queryClient.cancelQueries({ queryKey: listKey(name) });
  show();
  try {
    return await carryOut();
  } catch (error) {
    await queryClient.invalidateQueries({ queryKey: listKey(name) });
    throw error;
  }
}

/** Of one change. */
export interface ChangeOptions<T = object> {
  /** Identifies the request in the history; see {@link undoable}. */
  readonly label?: string;
  /** Values that pages show until the server answers. */
  readonly shown?: Partial<T>;
}

/** Creates a record. Throws an ApiError. */
export function createRecord<C extends CollectionName>(
  name: C,
  input: InputOf<C>,
  { label, shown }: ChangeOptions<RecordOf<C>> = {},
): Promise<RecordOf<C>> {
  const id = nextTemporaryId--;
  return optimistically(
    name,
    () => patchList(name, (records) => [...records, { ...(input as object), ...shown, id } as unknown as RecordOf<C>]),
    async () => {
      const record = await send<RecordOf<C>>('POST', `/api/${name}`, input, label);
      patchList(name, (records) =>
        withRecord(
          records.filter((other) => other.id !== id),
          record,
        ),
      );
      return record;
    },
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
    () => patchList(name, (records) => records.map((record) => (record.id === id ? { ...record, ...shown } : record))),
    async () => {
      const record = await send<RecordOf<C>>('PATCH', `/api/${name}/${id}`, update, label);
      patchList(name, (records) => withRecord(records, record));
      return record;
    },
  );
}

/** Records that a batch may delete at once. */
const batchSize = 100;

/** Deletes records, all of a hundred or none. Throws an ApiError. */
export function deleteRecords<C extends CollectionName>(
  name: C,
  ids: readonly number[],
  { label }: ChangeOptions = {},
): Promise<void> {
  const isDeleted = new Set(ids);
  return optimistically(
    name,
    () => patchList(name, (records) => records.filter(({ id }) => !isDeleted.has(id))),
    async () => {
      if (ids.length === 1) return send('DELETE', `/api/${name}/${ids[0]}`, undefined, label);
      // Points have a request of their own, which is one change.
      if (name === 'points') return send('DELETE', `/api/points/${ids.join(',')}`, undefined, label);
      for (let start = 0; start < ids.length; start += batchSize)
        await send(
          'POST',
          '/api/batch',
          ids.slice(start, start + batchSize).map((id) => ({ method: 'DELETE', path: `/api/${name}/${id}` })),
          label,
        );
    },
  );
}
