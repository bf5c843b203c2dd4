import type { ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';

/** How a value is written as JSON: by its column's type, or as seconds since the epoch. */
export type JsonForm = ColumnType | 'seconds';

/** A piece of JSON text: one that never changes, or an SQL expression. */
export type JsonPart = { readonly text: string } | { readonly sql: string };

/** Gives the parts whose texts, joined, are the JSON of an SQL expression; null where that is null. */
type Writer = (value: string) => readonly JsonPart[];

const quote: JsonPart = { text: '"' };
const by =
  (expression: (value: string) => string): Writer =>
  (value) => [{ sql: expression(value) }];

/**
 * Whole numbers are written by SQLite itself; no field holds any beyond 2^53. So are thousandths below 10^12: a value that
 * is the quotient of a whole number and 1000 is the one nearest to that decimal, which has at most 15 digits, and no two
 * such decimals have the same nearest value. So the 15 digits of SQLite and the fewest possible of JavaScript are the same
 * decimal. All other fractions are written by JavaScript: with more digits SQLite finds others.
 */
const sqliteFloat = by(
  (value) =>
    `case when ${value} = ${value} | 0 then ${value} | 0 ` +
    `when ${value} = round(${value} * 1000) / 1000 and abs(${value}) < 1e12 then format('%.15g', ${value}) ` +
    `when ${value} is not null then json_number(${value}) end`,
);

// PostgreSQL writes the same shortest digits as JavaScript up to 2^53, beyond which no field holds numbers; only tiny ones have other exponents.
const postgresFloat = by(
  (value) =>
    `case when ${value} = 0 then '0' when abs(${value}) >= 1e-6 then (${value})::text::numeric::text ` +
    `else regexp_replace((${value})::text, 'e-0(\\d)$', 'e-\\1') end`,
);

const boolean = by((value) => `case ${value} when true then 'true' when false then 'false' end`);
const asItIs = by((value) => value);
const asText = by((value) => `(${value})::text`);

const writers: Readonly<Record<DialectName, Readonly<Record<JsonForm, Writer>>>> = {
  sqlite: {
    text: by((value) => `json_quote(${value})`),
    integer: asItIs,
    bigint: asItIs,
    float: sqliteFloat,
    boolean,
    time: (value) => [quote, { sql: value }, quote],
    json: asItIs,
    seconds: by((value) => `strftime('%s', ${value})`),
  },
  postgres: {
    text: by((value) => `to_json((${value})::text)::text`),
    integer: asText,
    bigint: asText,
    float: postgresFloat,
    boolean,
    time: by((value) => `to_char(${value} at time zone 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`),
    json: asText,
    seconds: by((value) => `floor(extract(epoch from ${value}))::bigint::text`),
  },
};

/** The parts of a value's JSON text, byte for byte as `JSON.stringify` writes it. */
export function jsonParts(
  dialect: DialectName,
  form: JsonForm,
  value: string,
  isNullable: boolean,
): readonly JsonPart[] {
  const written = writers[dialect][form](value);
  return isNullable ? [{ sql: `coalesce(${concatenate(written)}, 'null')` }] : written;
}

/** The SQL expression that joins parts; null if one of them is. */
export function concatenate(parts: readonly JsonPart[]): string {
  const operands: string[] = [];
  let fixed = '';
  for (const part of parts) {
    if ('text' in part) {
      fixed += part.text;
      continue;
    }
    if (fixed !== '') operands.push(quoteLiteral(fixed));
    fixed = '';
    operands.push(`(${part.sql})`);
  }
  if (fixed !== '') operands.push(quoteLiteral(fixed));
  return concatenated(operands);
}

/** Pairwise, as a tree: one after the other, each `||` would copy all the text before it. */
function concatenated(operands: readonly string[]): string {
  if (operands.length < 3) return operands.join(' || ');
  const middle = Math.ceil(operands.length / 2);
  return `(${concatenated(operands.slice(0, middle))}) || (${concatenated(operands.slice(middle))})`;
}

/** Quotes a text as an SQL literal. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;
