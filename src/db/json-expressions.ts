import type { ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';

/** How a value is written as JSON: by its column's type, or as seconds since the epoch. */
export type JsonForm = ColumnType | 'seconds';

/** Gives the SQL expression for the JSON text of an SQL expression that is not null. */
type Writer = (value: string) => string;

// SQLite writes whole numbers itself; fractions are written by JavaScript, as SQLite gives them other digits.
const sqliteFloat: Writer = (value) =>
  `case when ${value} = cast(${value} as integer) and abs(${value}) < 1e15 ` +
  `then cast(cast(${value} as integer) as text) else json_number(${value}) end`;

// PostgreSQL writes the same shortest digits as JavaScript up to 2^53, beyond which no field holds numbers; only tiny ones have other exponents.
const postgresFloat: Writer = (value) =>
  `case when ${value} = 0 then '0' when abs(${value}) >= 1e-6 then (${value})::text::numeric::text ` +
  `else regexp_replace((${value})::text, 'e-0(\\d)$', 'e-\\1') end`;

const boolean: Writer = (value) => `case when ${value} then 'true' else 'false' end`;

const writers: Readonly<Record<DialectName, Readonly<Record<JsonForm, Writer>>>> = {
  sqlite: {
    text: (value) => `json_quote(${value})`,
    integer: (value) => `cast(${value} as text)`,
    bigint: (value) => `cast(${value} as text)`,
    float: sqliteFloat,
    boolean,
    time: (value) => `'"' || ${value} || '"'`,
    json: (value) => value,
    seconds: (value) => `strftime('%s', ${value})`,
  },
  postgres: {
    text: (value) => `to_json((${value})::text)::text`,
    integer: (value) => `(${value})::text`,
    bigint: (value) => `(${value})::text`,
    float: postgresFloat,
    boolean,
    time: (value) => `to_char(${value} at time zone 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`,
    json: (value) => `(${value})::text`,
    seconds: (value) => `floor(extract(epoch from ${value}))::bigint::text`,
  },
};

/** The SQL expression for the JSON text of a value, byte for byte as `JSON.stringify` writes it. */
export function jsonExpression(dialect: DialectName, form: JsonForm, value: string, isNullable: boolean): string {
  const written = writers[dialect][form](value);
  return isNullable ? `case when ${value} is null then 'null' else ${written} end` : written;
}

/** Quotes a text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
