import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound } from '../core/errors.ts';
import type { DeviceScope, Insertable, JsonText, Query } from '../db/scope.ts';
import type { Body, ParsedBody } from './body.ts';
import { assertValid, parseBody } from './body.ts';
import type { Fields } from './fields.ts';
import { titleize } from './kinds.ts';
import { ownsAll } from './own-record.ts';
import type { Input, RecordRow, Resource } from './resource.ts';
import { singularOf } from './resource.ts';
import { jsonExpressions, jsonSelection } from './serializer.ts';
import { scheduleTrim } from './trimming.ts';

/** A page of a list: both numbers, or none. */
export interface Page {
  readonly page: number;
  readonly per: number;
}

/** Page parameters count only when both are sent. [Spec Conventions 5, reference: pagination] */
export function parsePage(query: Readonly<Record<string, string>>): Page | null {
  const { page, per } = query;
  if (page === undefined || per === undefined) return null;
  const number = Number.parseInt(page, 10);
  const size = /^\d/.test(per) ? Number.parseInt(per, 10) : 25;
  // Beyond what a database counts with, every page is past the end.
  const far = Number.MAX_SAFE_INTEGER / 2;
  const first = Number.isNaN(number) || number < 1 ? 1 : number;
  return { page: Math.min(first, far / Math.max(1, Math.min(size, 1_000_000))), per: Math.min(size, 1_000_000) };
}

type RowQuery<F extends Fields> = Query<RecordRow<F>>;

/** The resource's list, as JSON text: one query. */
export async function list<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  page: Page | null = null,
  query: RowQuery<F> = {},
): Promise<JsonText> {
  const { maxKept, newestFirst } = resource.options;
  const order: RowQuery<F>['order'] = newestFirst
    ? [
        ['created_at', 'desc'],
        ['id', 'desc'],
      ]
    : [['id', 'asc']];
  const part = page
    ? { limit: page.per, offset: Math.floor((page.page - 1) * page.per) }
    : maxKept
      ? { limit: maxKept }
      : {};
  return scope.jsonList(resource, jsonExpressions(resource), { order, ...part, ...query });
}

const byId = <F extends Fields>(id: number): RowQuery<F> => ({ where: { id } as RowQuery<F>['where'] }) as RowQuery<F>;

/** The device's record with this id. Throws 404. */
export async function find<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  id: number,
): Promise<RecordRow<F>> {
  const row = await scope.first(resource, byId<F>(id));
  if (!row) throw notFound(resource.singular);
  return row;
}

/** The record as JSON text. Throws 404. */
export async function show<F extends Fields>(scope: DeviceScope, resource: Resource<F>, id: number): Promise<string> {
  const [json] = await scope.select(resource, jsonSelection(resource), byId<F>(id));
  if (json === undefined) throw notFound(resource.singular);
  return json;
}

/** Stores a record whose values are already right, and announces it. */
export async function insertRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  values: Insertable<RecordRow<F>>,
  label?: string,
): Promise<RecordRow<F>> {
  const row = await scope.insert(resource, values);
  announceChanged(scope, resource, row.id, undefined, label);
  return row;
}

/** Changes a record and announces it, unless nothing differs from what is stored. */
export async function updateRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  before: RecordRow<F>,
  values: Partial<RecordRow<F>>,
  label?: string,
): Promise<RecordRow<F>> {
  const changes = changedValues(before, values);
  if (!changes && !resource.options.announcesEveryUpdate) return before;
  const [row] = await scope.update(resource, changes ?? {}, byId<F>(before.id));
  if (!row) throw notFound(resource.singular);
  announceChanged(scope, resource, row.id, undefined, label);
  return row;
}

/** Deletes a record and announces that it is gone. */
export async function deleteRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  row: RecordRow<F>,
  label?: string,
): Promise<void> {
  await scope.delete(resource, byId<F>(row.id));
  announceDeleted(scope, resource, row.id, label);
}

/** Creates a record from a request's body. Gives its JSON. Throws 422. */
export async function createFromBody<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  body: Body,
): Promise<string> {
  const values = await parseCreate(scope, resource, body);
  const row = await insertRecord(scope, resource, values);
  if (resource.options.maxKept) scheduleTrim(scope, resource, resource.options.maxKept);
  const json = await show(scope, resource, row.id);
  announceChanged(scope, resource, row.id, json);
  return json;
}

/** All checks of a create, without storing anything: fields, ownership, hooks, model, limits. */
export async function parseCreate<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  body: Body,
): Promise<Insertable<RecordRow<F>>> {
  const reading = parseBody(resource.fields, body, 'create', resource.options.coercion);
  await validate(scope, resource, reading, undefined, body);
  const { limit } = resource.options;
  if (limit && (await scope.count(resource)) >= limit.count)
    throw invalid({ [limit.key]: `There may be at most ${limit.count} ${resource.name.replaceAll('_', ' ')}.` });
  return reading.values as Insertable<RecordRow<F>>;
}

/** Changes a record by a request's body: only what was sent. Gives its JSON. Throws 404, 422. */
export async function updateFromBody<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  before: RecordRow<F>,
  body: Body,
): Promise<string> {
  const reading = parseBody(resource.fields, body, 'update', resource.options.coercion);
  await validate(scope, resource, reading, before, body);
  const row = await updateRecord(scope, resource, before, reading.values as Partial<RecordRow<F>>);
  const json = await show(scope, resource, row.id);
  if (row !== before) announceChanged(scope, resource, row.id, json);
  return json;
}

/** Deletes a record if nothing uses it. Gives its JSON as it was. Throws 404, 422. */
export async function destroy<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  id: number,
): Promise<string> {
  const row = await find(scope, resource, id);
  await resource.options.hooks?.beforeDestroy?.(scope, row);
  const json = await show(scope, resource, id);
  await deleteRecord(scope, resource, row);
  return json;
}

type Announced = { readonly options: Pick<Resource['options'], 'announced'> };

/** Announces that a record was made or changed, under its resource's name if it has one. `body`: its JSON where the answer has read it already. `label` only where it differs from the request's. */
export function announceChanged(
  scope: DeviceScope,
  { options }: Announced,
  id: number,
  body?: string,
  label?: string,
): void {
  if (options.announced) scope.events.changed(options.announced, id, body, label);
}

/** Announces that a record is gone: deleted, or archived. */
export function announceDeleted(scope: DeviceScope, { options }: Announced, id: number, label?: string): void {
  if (options.announced) scope.events.deleted(options.announced, id, label);
}

async function validate<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  reading: ParsedBody,
  before: RecordRow<F> | undefined,
  body: Body,
): Promise<void> {
  if (Object.keys(reading.failures).length > 0) throw invalid(reading.failures);
  const failures: FieldFailures = await checkReferences(scope, resource.fields, reading.values);
  const told = await resource.options.hooks?.prepare?.(scope, reading.values as Input<F>, before, body);
  assertValid(reading, { ...failures, ...told });
}

/** Ids in the values that are no own records: failures by field, or silently null where the field says so. Throws 404 where it says that. */
async function checkReferences(
  scope: DeviceScope,
  fields: Fields,
  values: Record<string, unknown>,
): Promise<FieldFailures> {
  const failures: FieldFailures = {};
  for (const name in values) {
    const { foreignKey, ownership } = fields[name]?.traits ?? {};
    const id = values[name];
    if (!foreignKey || !ownership || typeof id !== 'number') continue;
    if (await ownsAll(scope, foreignKey.table, [id])) continue;
    if (ownership === 'not found') throw notFound(singularOf(foreignKey.table));
    if (ownership === 'null') values[name] = null;
    else
      failures[ownership.key] = `${titleize(name)} must be one of your own ${foreignKey.table.replaceAll('_', ' ')}.`;
  }
  return failures;
}

/** The values that differ from what is stored, or null. JSON is compared as text, like it is stored. */
export function changedValues<Row extends object>(before: Row, values: Partial<Row>): Partial<Row> | null {
  const changes: Partial<Row> = {};
  let any = false;
  for (const name in values) {
    const value = values[name];
    const old = before[name];
    const isSame = value === old || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(old));
    if (isSame || value === undefined) continue;
    changes[name] = value;
    any = true;
  }
  return any ? changes : null;
}
