import type { Timestamp } from '../core/clock.ts';
import { Failure, messagesOf } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { sentences } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ParsedBody } from '../engine/body.ts';
import { parseBody } from '../engine/body.ts';
import { labelOf } from '../engine/field-label.ts';
import type { Fields } from '../engine/fields.ts';
import { Field } from '../engine/fields.ts';
import { titleOf } from '../engine/labels.ts';
import type { AnyResource, Input, ResourceOptions } from '../engine/resource.ts';
import { valuesBefore } from '../engine/resource.ts';
import type { AnySingleton } from './account-document.ts';
import { accountDocument } from './account-document.ts';
import type { SentDocument } from './import-document.ts';
import type { Entry, EntryList } from './import-entries.ts';
import type { ImportRemarks } from './import-report.ts';
import { creationTime, elementPath, escapeKey, failureMessage } from './import-report.ts';
import { say } from './messages.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { ImportContext, PlanContext, Row } from './transfer-rules.ts';

const recordFields = (resource: AnyResource): Fields => rulesOf(resource).fields ?? resource.fields;

/** Returns the fields that are imported: all that are exported and stored, even if requests cannot set them. */
function importedFields(resource: AnyResource): Fields {
  const { ignoredFields = [] } = rulesOf(resource);
  const imported = Object.entries(recordFields(resource)).filter(
    ([name, { traits }]) => traits.isShown && !traits.isDerived && !ignoredFields.includes(name),
  );
  return Object.fromEntries(
    imported.map(([name, field]) => [name, new Field(field.kind, { ...field.traits, writability: 'always' })]),
  );
}

/** Returns the keys of an exported record. Others are reported as unknown. */
const knownKeys = (resource: AnyResource): ReadonlySet<string> =>
  new Set([
    ...['id', 'created_at', 'updated_at', 'device_id'],
    ...Object.keys(resource.fields),
    ...Object.keys(recordFields(resource)),
  ]);

/** A field that contains the id of another record. */
export interface ReferenceField {
  readonly name: string;
  readonly table: string;
  readonly canBeNull: boolean;
}

/** Returns the fields of a resource that refer to records of the device. */
export const referenceFields = (resource: AnyResource): ReferenceField[] =>
  Object.entries(resource.fields).flatMap(([name, { traits, canBeNull }]) =>
    traits.foreignKey && traits.ownership ? [{ name, table: traits.foreignKey.table, canBeNull }] : [],
  );

/** Replaces or removes nulls that are in old rows, but not allowed in requests. [rule T5] */
function withoutNulls(resource: AnyResource, fields: Fields, record: Readonly<Row>): Readonly<Row> {
  const { nullValues = {} } = rulesOf(resource);
  const copy = { ...record };
  for (const name in fields) {
    const traits = fields[name]?.traits;
    if (record[name] !== null || !traits || traits.null === 'stored') continue;
    const value = nullValues[name];
    if (value) copy[name] = value(record);
    else if (traits.absence !== 'refused') delete copy[name];
  }
  return copy;
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Maximum number of keys that are counted, and thus reported, per list. */
const maxUnknownKeys = 50;

function countUnknownKeys(record: object, known: ReadonlySet<string>, counts: Map<string, number>): void {
  for (const key in record)
    if (!known.has(key) && (counts.size < maxUnknownKeys || counts.has(key)))
      counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * Parses the records of a list by the resource's fields and its own check. An invalid record is a problem; an invalid history
 * record is omitted.
 */
export async function parseRecords(
  key: string,
  resource: AnyResource,
  sent: readonly unknown[],
  { scope, remarks, slices, firmwareHardware }: ImportContext,
): Promise<EntryList> {
  const fields = importedFields(resource);
  const known = knownKeys(resource);
  const unknownKeys = new Map<string, number>();
  const { isHistory = false } = rulesOf(resource);
  const ids = new Set<number>();
  const entries: Entry[] = [];
  const invalid: Pick<Entry, 'id' | 'values'>[] = [];
  for (const [index, record] of sent.entries()) {
    await slices.pause();
    const path = elementPath(key, index);
    if (record === undefined) continue;
    if (!isObject(record) || !isId(record.id)) {
      remarks.problem(path, isObject(record) ? say.noId : say.noRecord);
      continue;
    }
    const { id } = record;
    if (ids.has(id)) {
      remarks.problem(path, say.sameId(id));
      continue;
    }
    ids.add(id);
    countUnknownKeys(record, known, unknownKeys);
    const cleaned = { ...valuesBefore(resource, record, firmwareHardware), ...withoutNulls(resource, fields, record) };
    const parsed = parseBody(fields, cleaned, 'create', resource.options.coercion);
    const failures = await findFailures(scope, resource, parsed, cleaned);
    for (const [name, message] of failures)
      if (isHistory) remarks.lost(path, message);
      else remarks.problem(name === '' ? path : `${path}/${escapeKey(name)}`, message);
    if (failures.length === 0)
      entries.push({ path, sent: record, id, values: parsed.values, createdAt: creationTime(record, path, remarks) });
    else if (!isHistory) invalid.push({ id, values: record });
  }
  for (const [name, count] of unknownKeys)
    remarks.omitted(`/${escapeKey(key)}/*/${escapeKey(name)}`, say.unknownKeys(count));
  return { key, resource, entries, ids, invalid };
}

/** Returns the problems of a record by field; problems of the whole record have an empty name. */
async function findFailures(
  scope: DeviceScope,
  resource: AnyResource,
  { values, failures, modelProblems }: ParsedBody,
  record: Readonly<Row>,
): Promise<(readonly [field: string, message: Message])[]> {
  const found = [
    ...Object.entries(failures).map(([name, failure]) => [name, failureMessage(failure)] as const),
    ...Object.values(modelProblems).map((message) => ['', message] as const),
  ];
  if (found.length > 0) return found;
  // `AnyResource` omits hooks, which only accept values of the resource's fields.
  const { hooks } = resource.options as ResourceOptions<Fields>;
  try {
    const further = await hooks?.prepare?.(scope, values as Input<Fields>, undefined, record);
    return Object.entries(further ?? {}).map(([name, failure]) => [name, failureMessage(failure)] as const);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [['', sentences(messagesOf(error.sentence))]];
  }
}

/** The parsed values of a config, or of the device. References are ids of the document. */
export interface ParsedSettings {
  readonly key: string;
  readonly values: Record<string, unknown>;
  readonly createdAt: Timestamp | null;
}

export interface ConfigSettings extends ParsedSettings {
  readonly resource: AnySingleton;
}

const maxReportedKeys = 200;

/**
 * Parses each field by itself: an invalid setting keeps its default, and does not make the import fail. Reports keys that are not
 * among the known ones.
 */
export function parseSettings(
  fields: Fields,
  known: ReadonlySet<string>,
  sent: Readonly<Row>,
  path: string,
  remarks: ImportRemarks,
  coercion?: 'parse' | 'cast',
): Row {
  for (const name of Object.keys(sent).slice(0, maxReportedKeys))
    if (!known.has(name)) remarks.omitted(`${path}/${escapeKey(name)}`, say.unknownKey);
  const values: Row = {};
  for (const [name, field] of Object.entries(fields)) {
    const { values: parsed, failures, modelProblems } = parseBody({ [name]: field }, sent, 'update', coercion);
    const [message] = Object.values({ ...failures, ...modelProblems }).map(failureMessage);
    if (message === undefined) Object.assign(values, parsed);
    else remarks.changed(`${path}/${name}`, say.keptSetting(message));
  }
  return values;
}

/** Parses the configs of a document. */
export function parseConfigs(document: SentDocument, { known, remarks }: PlanContext): ConfigSettings[] {
  const configs: ConfigSettings[] = [];
  for (const part of accountDocument) {
    const sent = document.values.get(part.key);
    if (part.kind !== 'singleton' || !isObject(sent)) continue;
    const { key, resource } = part;
    const path = `/${key}`;
    const fields = importedFields(resource);
    const values = parseSettings(fields, knownKeys(resource), sent, path, remarks, resource.options.coercion);
    for (const { name, table } of referenceFields(resource)) {
      const id = values[name];
      if (typeof id !== 'number' || known.state(table, id) === 'stored') continue;
      values[name] = null;
      if (id !== 0) remarks.changed(`${path}/${name}`, say.unimported(labelOf(name, titleOf(fields[name]))));
    }
    configs.push({ key, resource, values, createdAt: creationTime(sent, path, remarks) });
  }
  return configs;
}
