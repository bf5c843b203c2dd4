import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound } from '../core/errors.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { DeviceScope, Insertable, JsonText, Query } from '../db/scope.ts';
import type { Body, ParsedBody } from './body.ts';
import { assertValid, parseBody } from './body.ts';
import { labelOf } from './field-label.ts';
import { sayOfField } from './field-messages.ts';
import type { Fields } from './fields.ts';
import { titleOf } from './labels.ts';
import { oldCopyIn } from './old-copies.ts';
import { ownsAll } from './own-record.ts';
import type { Page } from './paging.ts';
import type { AnyResource, Input, RecordRow, Resource } from './resource.ts';
import { maxKept, singularOf } from './resource.ts';
import { jsonExpressions, jsonSelection } from './serializer.ts';
import { scheduleTrim } from './trimming.ts';

type RowQuery<F extends Fields> = Query<RecordRow<F>>;

/** Returns the list of a device's records as JSON. One query. */
export async function list<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  page: Page | null = null,
  query: RowQuery<F> = {},
): Promise<JsonText> {
  const { newestFirst } = resource.options;
  const kept = maxKept(resource);
  const order: RowQuery<F>['order'] = newestFirst
    ? [
        ['created_at', 'desc'],
        ['id', 'desc'],
      ]
    : [['id', 'asc']];
  const part = page
    ? { limit: page.per, offset: Math.floor((page.page - 1) * page.per) }
    : kept !== null
      ? { limit: kept }
      : {};
  return scope.jsonList(resource, jsonExpressions(resource), { order, ...part, ...query });
}

const byId = <F extends Fields>(id: number): RowQuery<F> => ({ where: { id } as RowQuery<F>['where'] }) as RowQuery<F>;

/** Returns the device's record with this id. Throws 404. */
export async function find<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  id: number,
): Promise<RecordRow<F>> {
  const row = await scope.first(resource, byId<F>(id));
  if (!row) throw notFound(resource.singular);
  return row;
}

/** Returns the record as JSON. Throws 404. */
export async function show<F extends Fields>(scope: DeviceScope, resource: Resource<F>, id: number): Promise<string> {
  const [json] = await scope.select(resource, jsonSelection(resource), byId<F>(id));
  if (json === undefined) throw notFound(resource.singular);
  return json;
}

/** Throws an error again; a unique value that is taken is called as people call the field. */
const labelColumns =
  (fields: Fields) =>
  (error: unknown): never => {
    throw error instanceof UniqueViolation
      ? new UniqueViolation(error.table, error.columns, (name) => labelOf(name, titleOf(fields[name])))
      : error;
  };

/** Inserts a record from valid values and announces it. */
export async function insertRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  values: Insertable<RecordRow<F>>,
  label?: string,
): Promise<RecordRow<F>> {
  const row = await scope.insert(resource, values).catch(labelColumns(resource.fields));
  announceChanged(scope, resource, row.id, undefined, label);
  return row;
}

/** Updates a record with valid values and announces it, unless nothing changes. */
export async function updateRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  before: RecordRow<F>,
  values: Partial<RecordRow<F>>,
  label?: string,
): Promise<RecordRow<F>> {
  const changes = effectiveChanges(resource, before, values);
  if (!changes) return before;
  const [row] = await scope.update(resource, changes, byId<F>(before.id));
  if (!row) throw notFound(resource.singular);
  announceChanged(scope, resource, row.id, undefined, label);
  return row;
}

/** Returns the values to write; null if nothing changes. */
function effectiveChanges<F extends Fields>(
  { options }: Resource<F>,
  before: RecordRow<F>,
  values: Partial<RecordRow<F>>,
): Partial<RecordRow<F>> | null {
  return changedValues(before, values) ?? (options.announcesEveryUpdate ? {} : null);
}

/** Deletes a record and announces its deletion. */
export async function deleteRecord<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  row: RecordRow<F>,
  label?: string,
): Promise<void> {
  await scope.delete(resource, byId<F>(row.id));
  announceDeleted(scope, resource, row.id, label);
}

/** Creates a record from a request's body and returns its JSON. Throws 422. */
export async function createFromBody<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  body: Body,
): Promise<string> {
  const values = await parseCreate(scope, resource, body);
  const row = await insertRecord(scope, resource, values);
  await resource.options.hooks?.afterCreate?.(scope, [row]);
  const kept = maxKept(resource);
  if (kept !== null) scheduleTrim(scope, resource, (later) => later.trim(resource, kept));
  const json = await show(scope, resource, row.id);
  announceChanged(scope, resource, row.id, json);
  return json;
}

/** Parses and checks the body of a create: fields, references and hooks. Throws 404, 422. */
export async function parseCreate<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  body: Body,
): Promise<Insertable<RecordRow<F>>> {
  const parsed = parseBody(resource.fields, body, 'create', resource.options.coercion);
  await validate(scope, resource, parsed, undefined, body);
  return parsed.values as Insertable<RecordRow<F>>;
}

/** Updates a record, and returns its JSON; one that a robot sent as an old copy stays as it is. [rule V23] */
export async function updateUnlessOld<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  id: number,
  body: Body,
  update: () => Promise<string>,
): Promise<string> {
  const copy = await oldCopyIn(scope, resource as AnyResource, id, body);
  if (copy === null) return update();
  const stored = await show(scope, resource, id);
  if (resource.options.changeLogName) scope.events.kept(resource.options.changeLogName, id, copy, stored);
  return stored;
}

/** Updates a record with the fields that a request's body contains, and returns its JSON. Throws 404, 422. [decision 6] */
export const updateFromBody = <F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  before: RecordRow<F>,
  body: Body,
): Promise<string> => updateUnlessOld(scope, resource, before.id, body, () => applyBody(scope, resource, before, body));

async function applyBody<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  before: RecordRow<F>,
  body: Body,
): Promise<string> {
  const parsed = parseBody(resource.fields, body, 'update', resource.options.coercion);
  await validate(scope, resource, parsed, before, body);
  const changes = effectiveChanges(resource, before, parsed.values as Partial<RecordRow<F>>);
  if (!changes) return show(scope, resource, before.id);
  const [json] = await scope
    .update(resource, changes, byId<F>(before.id), jsonSelection(resource))
    .catch(labelColumns(resource.fields));
  if (json === undefined) throw notFound(resource.singular);
  announceChanged(scope, resource, before.id, json);
  return json;
}

/** Deletes a record unless a hook objects, and returns its JSON. Throws 404, 422. */
export async function destroy<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  id: number,
): Promise<string> {
  const row = await find(scope, resource, id);
  await resource.options.hooks?.beforeDestroy?.(scope, row);
  const json = await show(scope, resource, id);
  await deleteRecord(scope, resource, row);
  await resource.options.hooks?.afterDestroy?.(scope, [row]);
  return json;
}

type Announced = { readonly options: Pick<Resource['options'], 'changeLogName'> };

/** Announces that a record was created or updated, if its resource is announced. `body`: its JSON, if it is at hand. `label`: if it differs from the request's id. */
export function announceChanged(
  scope: DeviceScope,
  { options }: Announced,
  id: number,
  body?: string,
  label?: string,
): void {
  if (options.changeLogName) scope.events.changed(options.changeLogName, id, body, label);
}

/** Announces that a record was deleted or archived, if its resource is announced. */
export function announceDeleted(scope: DeviceScope, { options }: Announced, id: number, label?: string): void {
  if (options.changeLogName) scope.events.deleted(options.changeLogName, id, label);
}

async function validate<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  parsed: ParsedBody,
  before: RecordRow<F> | undefined,
  body: Body,
): Promise<void> {
  if (Object.keys(parsed.failures).length > 0) throw invalid(parsed.failures);
  const failures: FieldFailures = await checkReferences(scope, resource.fields, parsed.values);
  const found = await resource.options.hooks?.prepare?.(scope, parsed.values as Input<F>, before, body);
  assertValid(parsed, { ...failures, ...found });
}

/** Checks that referenced records belong to the device. Returns failures by field; sets null or throws 404 if the field is declared so. [decision 14] */
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
      failures[ownership.key] = sayOfField.ownRecord(
        labelOf(name, titleOf(fields[name])),
        foreignKey.table.replaceAll('_', ' '),
      );
  }
  return failures;
}

/** Returns the values that differ from the stored ones, or null if none do. JSON values are compared as text. */
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
