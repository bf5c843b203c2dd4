import type { Fields } from '../engine/fields.ts';
import { Field } from '../engine/fields.ts';
import type { AnyResource } from '../engine/resource.ts';
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
