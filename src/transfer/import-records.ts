import { Failure } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ParsedBody } from '../engine/body.ts';
import { parseBody } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { Field } from '../engine/fields.ts';
import type { AnyResource, Input, ResourceOptions } from '../engine/resource.ts';
import type { Entry, EntryList, TimeSlices } from './import-entries.ts';
import type { ImportRemarks } from './import-report.ts';
import { creationTime, elementPath, escapeKey, failureMessage } from './import-report.ts';
import { rulesOf } from './rules/rule-list.ts';

const recordFields = (resource: AnyResource): Fields => rulesOf(resource).fields ?? resource.fields;

const fieldsByTable = new Map<string, Fields>();

/** Returns the fields that are imported: all that are exported and stored, also those that requests cannot set. */
export function importedFields(resource: AnyResource): Fields {
  let fields = fieldsByTable.get(resource.name);
  if (!fields) {
    const { ignoredFields = [] } = rulesOf(resource);
    const imported = Object.entries(recordFields(resource)).filter(
      ([name, { traits }]) => traits.isShown && !traits.isDerived && !ignoredFields.includes(name),
    );
    fields = Object.fromEntries(
      imported.map(([name, field]) => [name, new Field(field.kind, { ...field.traits, writability: 'always' })]),
    );
    fieldsByTable.set(resource.name, fields);
  }
  return fields;
}

/** Returns the keys of an exported record. Others are reported as unknown. */
export const knownKeys = (resource: AnyResource): ReadonlySet<string> =>
  new Set([
    ...['id', 'created_at', 'updated_at', 'device_id'],
    ...Object.keys(resource.fields),
    ...Object.keys(recordFields(resource)),
  ]);

type SentRecord = Readonly<Record<string, unknown>>;

/** Replaces or removes nulls that are in old rows, but not allowed in requests. [rule T5] */
export function withoutNulls(resource: AnyResource, record: SentRecord): SentRecord {
  const { nullValues = {} } = rulesOf(resource);
  const fields = importedFields(resource);
  let copy: Record<string, unknown> | null = null;
  for (const name in fields) {
    const traits = fields[name]?.traits;
    if (record[name] !== null || !traits || traits.isNullable) continue;
    const value = nullValues[name];
    if (traits.isRequired && !value) continue;
    copy ??= { ...record };
    if (value) copy[name] = value(record);
    else delete copy[name];
  }
  return copy ?? record;
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

type Prepare = NonNullable<ResourceOptions<Fields>['hooks']>['prepare'];

/** Returns the resource's own check. `AnyResource` omits hooks, which only accept values of the resource's fields. */
const prepareOf = (resource: AnyResource): Prepare => (resource.options as ResourceOptions<Fields>).hooks?.prepare;

/** Counts the unknown keys of a list's records, to report each key once. */
class UnknownKeys {
  readonly #counts = new Map<string, number>();
  readonly #known: ReadonlySet<string>;
  readonly #maxKeys = 50;

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  count(record: object): void {
    for (const key in record)
      if (!this.#known.has(key) && (this.#counts.size < this.#maxKeys || this.#counts.has(key)))
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  report(listKey: string, remarks: ImportRemarks): void {
    for (const [key, count] of this.#counts)
      remarks.omitted(`/${escapeKey(listKey)}/*/${escapeKey(key)}`, `This key is unknown (${count} times).`);
  }
}

/**
 * Parses the records of a list by the resource's fields and its own check. An invalid record is a problem; an invalid history
 * record is omitted.
 */
export async function parseRecords(
  scope: DeviceScope,
  { key, resource }: { readonly key: string; readonly resource: AnyResource },
  sent: readonly unknown[],
  remarks: ImportRemarks,
  slices: TimeSlices,
): Promise<EntryList> {
  const fields = importedFields(resource);
  const prepare = prepareOf(resource);
  const unknownKeys = new UnknownKeys(knownKeys(resource));
  const { isHistory = false } = rulesOf(resource);
  const ids = new Set<number>();
  const entries: Entry[] = [];
  const invalid: Pick<Entry, 'id' | 'values'>[] = [];
  for (let index = 0; index < sent.length; index++) {
    await slices.yield();
    const record = sent[index];
    const path = elementPath(key, index);
    if (record === undefined) continue;
    if (!isObject(record) || !isId(record.id)) {
      remarks.problem(path, isObject(record) ? 'A record must have an id.' : 'A record must be an object.');
      continue;
    }
    const { id } = record;
    if (ids.has(id)) {
      remarks.problem(path, `There is another record with the id ${id}.`);
      continue;
    }
    ids.add(id);
    unknownKeys.count(record);
    const cleaned = withoutNulls(resource, record);
    const parsed = parseBody(fields, cleaned, 'create', resource.options.coercion);
    const failures = await findFailures(scope, parsed, cleaned, prepare);
    for (const [name, message] of failures)
      if (isHistory) remarks.lost(path, message);
      else remarks.problem(name === '' ? path : `${path}/${escapeKey(name)}`, message);
    if (failures.length === 0)
      entries.push({ path, sent: record, id, values: parsed.values, createdAt: creationTime(record, path, remarks) });
    else if (!isHistory) invalid.push({ id, values: record });
  }
  unknownKeys.report(key, remarks);
  return { key, resource, entries, ids, invalid };
}

/** Returns the problems of a record by field; those of the whole record have an empty name. */
async function findFailures(
  scope: DeviceScope,
  { values, failures, modelProblems }: ParsedBody,
  record: Readonly<Record<string, unknown>>,
  prepare: Prepare,
): Promise<(readonly [field: string, message: string])[]> {
  const found = [
    ...Object.entries(failures).map(([name, failure]) => [name, failureMessage(failure)] as const),
    ...modelProblems.map((message) => ['', message] as const),
  ];
  if (found.length > 0) return found;
  try {
    const further = await prepare?.(scope, values as Input<Fields>, undefined, record);
    return Object.entries(further ?? {}).map(([name, failure]) => [name, failureMessage(failure)] as const);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [['', error.message]];
  }
}
