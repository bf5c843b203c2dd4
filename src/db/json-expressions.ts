import type { ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';
import { quoteLiteral } from './sql.ts';

/** The JSON representation of a value: its column type's, or seconds since the epoch. */
export type JsonForm = ColumnType | 'seconds';

/** A part of a JSON text: a constant or an SQL expression. */
export type JsonPart = { readonly text: string } | { readonly sql: string };

/** Returns the parts that, balanced, are the JSON of an SQL expression; null if the expression is null. */
type Writer = (value: string) => readonly JsonPart[];

const quote: JsonPart = { text: '"' };
const by =
  (expression: (value: string) => string): Writer =>
  (value) => [{ sql: expression(value) }];

/**
 * SQLite formats integers (no field exceeds 2^53) and multiples of 0.001 below 10^12 itself: such a decimal has at most 15
 * digits, and no two of them share the nearest double, so SQLite's 15 digits and JavaScript's shortest digits are the same
 * decimal. All other fractions go through the JavaScript function `json_number`, because SQLite's digits would differ.
 * Numbers are neither rounded nor quoted. [decision 12]
 */
const sqliteFloat = by(
  (value) =>
    `case when ${value} = ${value} | 0 then ${value} | 0 ` +
    `when ${value} = round(${value} * 1000) / 1000 and abs(${value}) < 1e12 then format('%.15g', ${value}) ` +
    `when ${value} is not null then json_number(${value}) end`,
);

// PostgreSQL prints the same shortest digits as JavaScript up to 2^53, which no field exceeds; only the exponents of tiny numbers differ.
const postgresFloat = by(
  (value) =>
    `case when ${value} = 0 then '0' when abs(${value}) >= 1e-6 then (${value})::text::numeric::text ` +
    `else regexp_replace((${value})::text, 'e-0(\\d)$', 'e-\\1') end`,
);

const boolean = by((value) => `case ${value} when true then 'true' when false then 'false' end`);
const unchanged = by((value) => value);
const asText = by((value) => `(${value})::text`);

const writers: Readonly<Record<DialectName, Readonly<Record<JsonForm, Writer>>>> = {
  sqlite: {
    text: by((value) => `json_quote(${value})`),
    integer: unchanged,
    bigint: unchanged,
    float: sqliteFloat,
    boolean,
    time: (value) => [quote, { sql: value }, quote],
    json: unchanged,
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

/** Returns the parts of a value's JSON text, byte for byte equal to `JSON.stringify`. */
export function jsonParts(
  dialect: DialectName,
  form: JsonForm,
  value: string,
  isNullable: boolean,
): readonly JsonPart[] {
  const written = writers[dialect][form](value);
  return isNullable ? [{ sql: `coalesce(${concatenate(written)}, 'null')` }] : written;
}

/** Returns the SQL expression that concatenates parts; null if one of them is null. */
export function concatenate(parts: readonly JsonPart[]): string {
  const operands: string[] = [];
  let constant = '';
  for (const part of parts) {
    if ('text' in part) {
      constant += part.text;
      continue;
    }
    if (constant !== '') operands.push(quoteLiteral(constant));
    constant = '';
    operands.push(`(${part.sql})`);
  }
  if (constant !== '') operands.push(quoteLiteral(constant));
  return balanced(operands);
}

/** Builds a balanced tree: in a left-deep chain each `||` would copy all the text before it. */
function balanced(operands: readonly string[]): string {
  if (operands.length < 3) return operands.join(' || ');
  const middle = Math.ceil(operands.length / 2);
  return `(${balanced(operands.slice(0, middle))}) || (${balanced(operands.slice(middle))})`;
}
