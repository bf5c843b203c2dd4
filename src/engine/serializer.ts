import type { DialectName } from '../db/dialect.ts';
import type { JsonForm, JsonPart } from '../db/json-expressions.ts';
import { concatenate, jsonParts } from '../db/json-expressions.ts';
import type { JsonExpressions, Selection } from '../db/scope.ts';
import { quoteLiteral } from '../db/sql.ts';
import type { Table } from '../db/table.ts';
import type { SqlExpression } from './fields.ts';
import type { AnyResource } from './resource.ts';

/** A field of the JSON: its key, the SQL expression of its value, and the format of the value. */
interface OutputField {
  readonly key: string;
  readonly value: SqlExpression;
  readonly form: JsonForm;
  readonly isNullable: boolean;
  readonly variants: readonly string[] | null;
}

const standard = { isNullable: false, variants: null };

function outputFields(resource: AnyResource): OutputField[] {
  const own = (name: string): string => `"${resource.name}"."${name}"`;
  const { createdAt, showsDevice } = resource.options;
  const all: OutputField[] = [
    { key: 'id', value: own('id'), form: 'bigint', ...standard },
    { key: 'created_at', value: own('created_at'), form: createdAt === 'seconds' ? 'seconds' : 'time', ...standard },
    { key: 'updated_at', value: own('updated_at'), form: 'time', ...standard },
  ];
  if (showsDevice) all.push({ key: 'device_id', value: own('device_id'), form: 'bigint', ...standard });
  for (const [key, { kind, traits, canBeNull }] of Object.entries(resource.fields))
    if (traits.isShown)
      all.push({
        key,
        value: traits.shownAs ?? own(key),
        form: kind.column,
        variants: traits.variants,
        isNullable: canBeNull || traits.shownAs !== null,
      });
  return all;
}

/** Returns the SQL expression of a record's JSON. `known` are values that all such records have in common. */
function recordExpression(
  dialect: DialectName,
  shown: readonly OutputField[],
  known: Readonly<Record<string, string>> = {},
): string {
  const parts: JsonPart[] = [];
  for (const { key, value, form, isNullable } of shown) {
    const expression = typeof value === 'string' ? value : value[dialect];
    parts.push({ text: `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:` });
    const text = known[key];
    if (text === undefined) parts.push(...jsonParts(dialect, form, expression, isNullable));
    else parts.push({ text: JSON.stringify(text) });
  }
  return concatenate([...parts, { text: '}' }]);
}

/**
 * An expression that fails with this text in its error message. A row whose JSON is null must fail the query, not be left
 * out of a list or shown as null; neither database can raise an error in an expression.
 */
const failingExpression: Readonly<Record<DialectName, (text: string) => string>> = {
  sqlite: (text) => `json_extract('{}', ${text})`,
  postgres: (text) => `cast(cast(${text} as integer) as text)`,
};

function nonNullExpression(resource: AnyResource, dialect: DialectName, all: readonly OutputField[]): string {
  const message = `${quoteLiteral(`${resource.name} `)} || "${resource.name}"."id" || ' cannot be written as JSON'`;
  return `coalesce(${variantExpression(resource, dialect, all)}, ${failingExpression[dialect](message)})`;
}

function variantExpression(resource: AnyResource, dialect: DialectName, all: readonly OutputField[]): string {
  const { discriminator } = resource.options;
  if (!discriminator) return recordExpression(dialect, all);
  const names = new Set(all.flatMap(({ variants }) => variants ?? []));
  const branches = [...names].map((name) => {
    const shown = all.filter(({ variants }) => variants?.includes(name) ?? true);
    return `when ${quoteLiteral(name)} then ${recordExpression(dialect, shown, { [discriminator]: name })}`;
  });
  const common = all.filter(({ variants }) => variants === null);
  return `case "${resource.name}"."${discriminator}" ${branches.join(' ')} else ${recordExpression(dialect, common)} end`;
}

const compiled = new WeakMap<AnyResource, JsonExpressions>();

/** Returns the SQL expressions of a record's JSON. Compiled once per resource. */
export function jsonExpressions(resource: AnyResource): JsonExpressions {
  let both = compiled.get(resource);
  if (!both) {
    const all = outputFields(resource);
    both = {
      key: 'json',
      sqlite: nonNullExpression(resource, 'sqlite', all),
      postgres: nonNullExpression(resource, 'postgres', all),
    };
    compiled.set(resource, both);
  }
  return both;
}

/** The differences of a record's JSON from its JSON in replies. */
export interface JsonVariant {
  /** The key in the statement cache; unique per resource. */
  readonly key: string;
  /** The keys that come first, in this order. */
  readonly first?: readonly string[];
  /** Fields whose column is shown, not their `shownAs` expression. */
  readonly stored?: readonly string[];
  /** Fields that are shown for every variant. */
  readonly everywhere?: readonly string[];
}

/** Returns the SQL expressions of a record's JSON with differences. Compiled on each call. */
export function jsonVariantExpressions(resource: AnyResource, variation: JsonVariant): JsonExpressions {
  const { key, first = [], stored = [], everywhere = [] } = variation;
  const position = ({ key: name }: OutputField): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const all = outputFields(resource)
    .map((field) => (everywhere.includes(field.key) ? { ...field, variants: null } : field))
    .map((field) => (stored.includes(field.key) ? { ...field, value: `"${resource.name}"."${field.key}"` } : field))
    .sort((a, b) => position(a) - position(b));
  return {
    key,
    sqlite: nonNullExpression(resource, 'sqlite', all),
    postgres: nonNullExpression(resource, 'postgres', all),
  };
}

const selections = new WeakMap<AnyResource, Selection<string>>();

/** Selects a record's JSON, written by the database: the one serialization, for replies, lists and announcements. [ADR 4] */
export function jsonSelection(resource: AnyResource): Selection<string> {
  let selection = selections.get(resource);
  if (!selection) {
    const { sqlite, postgres } = jsonExpressions(resource);
    selection = {
      key: 'json',
      expressions: { sqlite: [sqlite], postgres: [postgres] },
      read: ([json]) => String(json),
    };
    selections.set(resource, selection);
  }
  return selection;
}

/** Returns the SQL expressions of the JSON of a row of any table, with these columns in this order. `defaults`: plain words that stand for null. */
export function rowJsonExpressions(
  { name, columns }: Table,
  shown: readonly string[] = Object.keys(columns),
  defaults: Readonly<Record<string, string>> = {},
): JsonExpressions {
  const all = shown.map((key): OutputField => {
    const column = columns[key];
    if (!column) throw new Error(`${name} has no column ${key}`);
    const stored = `"${name}"."${key}"`;
    const word = defaults[key];
    const value = word === undefined ? stored : `coalesce(${stored}, '${word}')`;
    return { key, value, form: column.type, isNullable: column.isNullable && word === undefined, variants: null };
  });
  return { key: shown.join(), sqlite: recordExpression('sqlite', all), postgres: recordExpression('postgres', all) };
}

/** The pair that `device/sync` lists for a record: `[id, updated_at]`. */
export const syncPair: JsonExpressions = (() => {
  const pair = (dialect: DialectName): string =>
    concatenate([
      { text: '[' },
      ...jsonParts(dialect, 'bigint', '"id"', false),
      { text: ',' },
      ...jsonParts(dialect, 'time', '"updated_at"', false),
      { text: ']' },
    ]);
  return { key: 'pair', sqlite: pair('sqlite'), postgres: pair('postgres') };
})();

/** Joins the JSON of records to a JSON array. */
export const jsonArray = (records: readonly string[]): string => `[${records.join(',')}]`;
