import { send } from './api.ts';
import { ApiError, PartialFailure } from './api-error.ts';
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
  { label = newLabel(), shown }: ChangeOptions<RecordOf<C>> = {},
): Promise<RecordOf<C>> {
  const id = nextTemporaryId--;
  // Until the server answers, the fields that it fills in are missing.
  const temporary = { ...(input as object), ...shown, id } as unknown as RecordOf<C>;
  return whileUnanswered(name, label, () =>
    optimistically(
      name,
      () => patchList(name, (records) => [...records, temporary]),
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
    () => patchList(name, (records) => records.map((record) => (record.id === id ? { ...record, ...shown } : record))),
    async () => {
      const record = await send<RecordOf<C>>('PATCH', `/api/${name}/${id}`, update, label);
      patchList(name, (records) => withRecord(records, record));
      return record;
    },
  );
}

/** Requests of one batch. */
const batchSize = 100;

/** A request of {@link sendTogether}. */
export interface BatchPart {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Sends requests together, a hundred at once, and returns the bodies of their answers. Of each hundred all are carried out or none. Throws a PartialFailure after the first hundred. */
async function sendBatch(parts: readonly BatchPart[], label: string | undefined): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (let start = 0; start < parts.length; start += batchSize) {
    const answers = await send<readonly { body: unknown }[]>(
      'POST',
      '/api/batch',
      parts.slice(start, start + batchSize),
      label,
    ).catch((error: unknown) => {
      throw error instanceof ApiError && start > 0 ? new PartialFailure(error, start, parts.length) : error;
    });
    bodies.push(...answers.map(({ body }) => body));
  }
  return bodies;
}

/** Carries out up to a hundred requests, all or none; later ones may refer to the answers of earlier ones. Throws an ApiError. */
export const sendTogether = (parts: readonly BatchPart[], label: string): Promise<unknown[]> => sendBatch(parts, label);

/** Creates points, up to 500: all of them or none. Throws an ApiError. */
export async function createPoints(inputs: readonly InputOf<'points'>[], { label }: ChangeOptions = {}): Promise<void> {
  const points = await send<readonly RecordOf<'points'>[]>('POST', '/api/points/bulk', { points: inputs }, label);
  patchList('points', (all) => points.reduce(withRecord, all));
}

/** Changes fields of records, of a hundred at once. Throws an ApiError. */
export function updateRecords<C extends CollectionName>(
  name: C,
  updates: ReadonlyMap<number, UpdateOf<C>>,
  { label }: ChangeOptions = {},
): Promise<void> {
  return optimistically(
    name,
    () =>
      patchList(name, (records) =>
        records.map((record) => {
          const update = updates.get(record.id);
          return update ? { ...record, ...(update as object) } : record;
        }),
      ),
    async () => {
      const parts = [...updates].map(([id, body]) => ({ method: 'PATCH', path: `/api/${name}/${id}`, body }) as const);
      const changed = new Map(((await sendBatch(parts, label)) as RecordOf<C>[]).map((record) => [record.id, record]));
      patchList(name, (records) => records.map((record) => changed.get(record.id) ?? record));
    },
  );
}

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
      await sendBatch(
        ids.map((id) => ({ method: 'DELETE', path: `/api/${name}/${id}` })),
        label,
      );
    },
  );
}
