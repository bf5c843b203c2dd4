import type { ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';

/** How a value is written as JSON: by its column's type, or as seconds since the epoch. */
export type JsonForm = ColumnType | 'seconds';

/** Gives the SQL expression whose value is the JSON text of an SQL expression's value. Null becomes `null`. */
type Writer = (value: string) => string;

const orNull =
  (write: Writer): Writer =>
  (value) =>
    `coalesce(${write(value)}, 'null')`;

// SQLite writes whole numbers itself; fractions are written by JavaScript, as SQLite gives them other digits.
const sqliteFloat: Writer = (value) =>
  `case when ${value} = cast(${value} as integer) and abs(${value}) < 1e15 then cast(cast(${value} as integer) as text) ` +
  `when ${value} is null then 'null' else json_number(${value}) end`;

// PostgreSQL writes the same shortest digits as JavaScript, but changes to exponents earlier and pads them.
const postgresFloat: Writer = (value) =>
  `case when ${value} is null then 'null' when ${value} = 0 then '0' when abs(${value}) < 1e21 and abs(${value}) >= 1e-6 ` +
  `then (${value})::text::numeric::text else regexp_replace((${value})::text, 'e([+-])0(\\d)$', 'e\\1\\2') end`;

const boolean: Writer = (value) => `case when ${value} then 'true' when not ${value} then 'false' else 'null' end`;

const writers: Readonly<Record<DialectName, Readonly<Record<JsonForm, Writer>>>> = {
  sqlite: {
    text: (value) => `json_quote(${value})`,
    integer: orNull((value) => `cast(${value} as text)`),
    bigint: orNull((value) => `cast(${value} as text)`),
    float: sqliteFloat,
    boolean,
    time: orNull((value) => `'"' || ${value} || '"'`),
    json: orNull((value) => value),
    seconds: orNull((value) => `strftime('%s', ${value})`),
  },
  postgres: {
    text: orNull((value) => `to_json((${value})::text)::text`),
    integer: orNull((value) => `(${value})::text`),
    bigint: orNull((value) => `(${value})::text`),
    float: postgresFloat,
    boolean,
    time: orNull((value) => `to_char(${value} at time zone 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`),
    json: orNull((value) => `(${value})::text`),
    seconds: orNull((value) => `floor(extract(epoch from ${value}))::bigint::text`),
  },
};

/** The SQL expression for the JSON text of a value, byte for byte as `JSON.stringify` writes it. */
export const jsonExpression = (dialect: DialectName, form: JsonForm, value: string): string =>
  writers[dialect][form](value);

/** Quotes a text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
