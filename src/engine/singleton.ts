import { Failure } from '../core/errors.ts';
import { parseTime } from '../core/time-formats.ts';
import { ForeignKeyViolation } from '../db/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { Body } from './body.ts';
import { parseBody } from './body.ts';
import type { Fields, NamedFields } from './fields.ts';
import { announceDeleted, changedValues, show, updateFromBody } from './records.ts';
import type { RecordRow, Resource, ResourceOptions } from './resource.ts';
import { resource } from './resource.ts';
import { jsonSelection, syncPair } from './serializer.ts';
import type { SyncSource } from './sync-source.ts';
import { noPairs } from './sync-source.ts';

export interface SingletonOptions<F extends Fields>
  extends Omit<
    ResourceOptions<F>,
    'routes' | 'paginated' | 'destroyed' | 'newestFirst' | 'keep' | 'max' | 'uniqueTogether'
  > {
  /** The name of its table, and its key in `device/sync`. */
  table: string;
  /** Updates of a stale copy that would change more than one field are rejected. [decision 16] */
  refusesStale?: true;
}

/** A resource of which each device has one record, created with its defaults if it is missing. */
export interface Singleton<F extends Fields = Fields> extends Resource<F>, SyncSource {
  readonly path: string;
  readonly refusesStale: boolean;
  /** Creates the device's record if it is missing, unannounced. [decision 35] */
  ensure(scope: DeviceScope): Promise<void>;
}

/** Declares a resource of which each device has one record, at `/api/<name>`. */
export function singleton<const F extends Fields>(
  name: string,
  options: SingletonOptions<F> & { readonly fields: NamedFields },
): Singleton<F> {
  const { table, refusesStale, ...declared } = options;
  const base = resource<F>(table, { ...declared, max: 1, uniqueTogether: [['device_id']] });
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

/** Returns the device's record, and creates it if it is missing, unannounced. Throws 401 if the device was deleted. [decision 35] */
export const loadSingleton = async <F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<RecordRow<F>> =>
  (await scope.first(one)) ?? createSingleton(scope, one);

/** Returns the device's record as JSON. */
export async function showSingleton<F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<string> {
  const [json] = await scope.select(one, jsonSelection(one));
  if (json !== undefined) return json;
  // In one transaction: between two, a reset of the record may delete it. [decision 36]
  if (!scope.isTransaction) return scope.detached().transaction((inner) => showSingleton(inner, one));
  const { id } = await createSingleton(scope, one);
  return show(scope, one, id);
}

async function createSingleton<F extends Fields>(scope: DeviceScope, one: Resource<F>): Promise<RecordRow<F>> {
  // A transaction serializes concurrent callers. Detached, because this scope may be in use.
  if (!scope.isTransaction) return scope.detached().transaction((inner) => loadSingleton(inner, one));
  const { values } = parseBody(one.fields, {}, 'create', one.options.coercion);
  try {
    return await scope.insert(one, values as Insertable<RecordRow<F>>);
  } catch (error) {
    // The device and its tokens were deleted during the request.
    throw error instanceof ForeignKeyViolation ? new Failure('bad_token') : error;
  }
}

/** Updates the device's record from a request's body and returns its JSON. Throws 409 for a stale copy, 422. */
export async function updateSingleton<F extends Fields>(
  scope: DeviceScope,
  one: Singleton<F>,
  body: Body,
): Promise<string> {
  const before = await loadSingleton(scope, one);
  if (one.refusesStale && isStale(one, before, body)) throw new StaleRecord(before.id);
  return updateFromBody(scope, one, before, body);
}

/** Deletes the device's record, which resets it to its defaults, and announces the deletion. [decision 36] */
export async function deleteSingleton<F extends Fields>(scope: DeviceScope, one: Singleton<F>): Promise<void> {
  for (const { id } of await scope.delete(one, {})) announceDeleted(scope, one, id);
}

/** An update of a stale copy. */
export class StaleRecord extends Failure {
  readonly recordId: number;
  constructor(recordId: number) {
    super('stale_record');
    this.recordId = recordId;
  }
}

/** Whether `updated_at` of the copy differs from the stored one, compared as times, and more than one field differs. [decision 16] */
function isStale<F extends Fields>(one: Singleton<F>, before: RecordRow<F>, body: Body): boolean {
  const sent = body.updated_at;
  const time = typeof sent === 'string' ? parseTime(sent) : null;
  if (time === null || time === before.updated_at) return false;
  const { values } = parseBody(one.fields, body, 'update', one.options.coercion);
  return Object.keys(changedValues<object>(before, values) ?? {}).length > 1;
}
