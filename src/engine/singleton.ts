import { Failure } from '../core/errors.ts';
import { ForeignKeyViolation } from '../db/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { Body } from './body.ts';
import { parseBody } from './body.ts';
import type { Fields } from './fields.ts';
import { parseTime } from './kinds.ts';
import { announceDeleted, changedValues, updateFromBody } from './records.ts';
import type { RecordRow, Resource, ResourceOptions } from './resource.ts';
import { resource } from './resource.ts';
import { jsonSelection, syncPair } from './serializer.ts';
import type { SyncSource } from './sync-source.ts';
import { noPairs } from './sync-source.ts';

export interface SingletonOptions<F extends Fields>
  extends Omit<
    ResourceOptions<F>,
    'routes' | 'paginated' | 'destroyed' | 'newestFirst' | 'keep' | 'limit' | 'uniqueTogether'
  > {
  /** The name of its table, and its key in `device/sync`. */
  table: string;
  /** Updates from an old copy that would change more than one field are refused. [decision 16] */
  refusesStale?: true;
}

/** A resource of which every device has exactly one row, made with its defaults whenever it is missing. */
export interface Singleton<F extends Fields = Fields> extends Resource<F>, SyncSource {
  readonly path: string;
  readonly refusesStale: boolean;
  /** Makes the device's row with its defaults where it is missing, which is not announced. [decision 35] */
  ensure(scope: DeviceScope): Promise<void>;
}

/** Declares a resource that each device has once, at `/api/<name>`. */
export function singleton<const F extends Fields>(name: string, options: SingletonOptions<F>): Singleton<F> {
  const { table, refusesStale, ...declared } = options;
  const base = resource<F>(table, { ...declared, uniqueTogether: [['device_id']] });
  return {
    ...base,
    path: `/api/${name}`,
    refusesStale: refusesStale ?? false,
    key: table,
    listing: { table: base, json: syncPair },
    async ensure(scope) {
      await loadSingleton(scope, base);
    },
    async pairs(scope, read) {
      if (read !== noPairs) return read;
      const { id, updated_at } = await createSingleton(scope, base);
      return JSON.stringify([[id, updated_at]]);
    },
  };
}

/** The device's row; made with its defaults when it is missing, which is not announced. Throws 401 if the device is gone. [decision 35] */
export const loadSingleton = async <F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<RecordRow<F>> =>
  (await scope.first(one)) ?? createSingleton(scope, one);

/** The device's row as JSON text. */
export async function showSingleton<F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<string> {
  const [json] = await scope.select(one, jsonSelection(one));
  if (json !== undefined) return json;
  const made = await createSingleton(scope, one);
  const [fresh] = await scope.select(one, jsonSelection(one));
  if (fresh === undefined) throw new Error(`row ${made.id} of ${one.name} is not there`);
  return fresh;
}

async function createSingleton<F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<RecordRow<F>> {
  // A transaction orders those who find nothing at the same time. Detached: others may be reading through this scope.
  if (!scope.isTransaction) return scope.detached().transaction((inner) => loadSingleton(inner, one));
  const { values } = parseBody(one.fields, {}, 'create', one.options.coercion);
  try {
    return await scope.insert(one, values as Insertable<RecordRow<F>>);
  } catch (error) {
    // The device, and the token with it, went while the request was on its way.
    throw error instanceof ForeignKeyViolation ? new Failure('bad_token') : error;
  }
}

/** Changes the device's row by a request's body. Gives its JSON. Throws 409 for an old copy, 422. */
export async function updateSingleton<F extends Fields>(
  scope: DeviceScope,
  one: Singleton<F>,
  body: Body,
): Promise<string> {
  const before = await loadSingleton(scope, one);
  if (one.refusesStale && isStale(one, before, body)) throw new StaleRecord(before.id);
  return updateFromBody(scope, one, before, body);
}

/** Deletes the device's row: whoever reads next finds the defaults. Announces that it is gone. [decision 36] */
export async function deleteSingleton<F extends Fields>(scope: DeviceScope, one: Singleton<F>): Promise<void> {
  for (const { id } of await scope.delete(one, {})) announceDeleted(scope, one, id);
}

/** A change was made from a copy that is out of date. */
export class StaleRecord extends Failure {
  readonly recordId: number;
  constructor(recordId: number) {
    super('stale_record');
    this.recordId = recordId;
  }
}

/** Whether the copy is of another time than what is stored, and more than one field differs. Instants are compared, to the millisecond. [decision 16] */
function isStale<F extends Fields>(one: Singleton<F>, before: RecordRow<F>, body: Body): boolean {
  const sent = body.updated_at;
  const time = typeof sent === 'string' && sent.length <= 100 ? parseTime(sent) : null;
  if (time === null || time === before.updated_at) return false;
  const { values } = parseBody(one.fields, body, 'update', one.options.coercion);
  return Object.keys(changedValues<object>(before, values) ?? {}).length > 1;
}
