import type { DialectName } from '../db/dialect.ts';
import type { JsonForm, JsonPart } from '../db/json-expressions.ts';
import { concatenate, jsonParts, quoteLiteral } from '../db/json-expressions.ts';
import type { JsonExpressions, Selection } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { SqlExpression } from './fields.ts';
import type { AnyResource } from './resource.ts';

/** One output field: its JSON key, the SQL expression of its value, how it is written. */
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
  for (const [key, { kind, traits }] of Object.entries(resource.fields))
    if (traits.isShown)
      all.push({
        key,
        value: traits.shownAs ?? own(key),
        form: kind.column,
        variants: traits.variants,
        isNullable: traits.canBeNull || traits.shownAs !== null,
      });
  return all;
}

/** The SQL expression for a whole record's JSON text. Of `known` fields the values are the same in all such records. */
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
 * Lists leave nulls out, and a null would be shown as a record: a row that cannot be written fails the query instead, with
 * its table and id. Neither engine can raise an error of one's own in an expression; these are refused with their text.
 */
const failingExpression: Readonly<Record<DialectName, (text: string) => string>> = {
  sqlite: (text) => `json_extract('{}', ${text})`,
  postgres: (text) => `cast(cast(${text} as integer) as text)`,
};

function nonNullExpression(resource: AnyResource, dialect: DialectName, all: readonly OutputField[]): string {
  const what = `${quoteLiteral(`${resource.name} `)} || "${resource.name}"."id" || ' cannot be written as JSON'`;
  return `coalesce(${variantExpression(resource, dialect, all)}, ${failingExpression[dialect](what)})`;
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

/** The SQL expression for a record's JSON text on each engine. Compiled once per resource. */
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

/** In what a record's text differs from the one in answers. */
export interface JsonVariant {
  /** Names it in the statement cache; unique per resource. */
  readonly key: string;
  /** The keys that come first, in this order. */
  readonly first?: readonly string[];
  /** Fields whose column is shown, whatever answers show instead. */
  readonly stored?: readonly string[];
  /** Fields that records of every variant show. */
  readonly everywhere?: readonly string[];
}

/** The SQL expression for a record's JSON text that differs from that of answers. Compiled with each call: keep it. */
export function jsonVariantExpressions(resource: AnyResource, variation: JsonVariant): JsonExpressions {
  const { key, first = [], stored = [], everywhere = [] } = variation;
  const place = (piece: OutputField): number => (first.includes(piece.key) ? first.indexOf(piece.key) : first.length);
  const all = outputFields(resource)
    .map((piece) => (everywhere.includes(piece.key) ? { ...piece, variants: null } : piece))
    .map((piece) => (stored.includes(piece.key) ? { ...piece, value: `"${resource.name}"."${piece.key}"` } : piece))
    .sort((a, b) => place(a) - place(b));
  return {
    key,
    sqlite: nonNullExpression(resource, 'sqlite', all),
    postgres: nonNullExpression(resource, 'postgres', all),
  };
}

const selections = new WeakMap<AnyResource, Selection<string>>();

/** A record's JSON text, written by the database: the only serialisation there is, for answers, lists and announcements. */
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

/** The SQL expression for the JSON text of a row of any table: these columns in this order, as they are stored. */
export function rowJsonExpressions(
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  shown: readonly string[] = Object.keys(columns),
): JsonExpressions {
  const all = shown.map((key): OutputField => {
    const column = columns[key];
    if (!column) throw new Error(`${name} has no column ${key}`);
    return { key, value: `"${name}"."${key}"`, form: column.type, isNullable: column.isNullable, variants: null };
  });
  return { key: shown.join(), sqlite: recordExpression('sqlite', all), postgres: recordExpression('postgres', all) };
}

/** The pair of `device/sync`: id and time of the last change. */
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

/** The JSON array of some records' texts. */
export const jsonArray = (records: readonly string[]): string => `[${records.join(',')}]`;
