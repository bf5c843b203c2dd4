import { createRequire } from 'node:module';
import pg from 'pg';
import { translateError } from './errors.ts';
import type { TextValue } from './postgres-messages.ts';
import { MessageWriter, textOf } from './postgres-messages.ts';
import type { RawRow } from './session.ts';
import { longText } from './session.ts';

const int8 = 20;
/** The type of {@link longText}: no column has it. */
const varchar = 1043;
const timestamptz = 1184;
const json = 114;
const jsonb = 3802;

/** `2026-11-21 10:00:00.12+00` → `2026-11-21T10:00:00.120Z`; sessions run in UTC. */
function isoTime(text: string): string {
  const plus = text.indexOf('+', 19);
  const fraction = text.slice(20, plus === -1 ? undefined : plus);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

type Parser = (text: string) => unknown;

const unchanged: Parser = (text) => text;

/** Returns the conversion of a type's values to values of rows. */
function parserOf(oid: number): Parser {
  if (oid === int8) return Number;
  if (oid === varchar) return unchanged;
  if (oid === timestamptz) return isoTime;
  // JSON stays text, as on SQLite: serializers embed it, decoders parse it.
  return oid === json || oid === jsonb ? String : pg.types.getTypeParser(oid);
}

/** Conversions of PostgreSQL's values to values of rows. */
export const types: pg.CustomTypesConfig = { getTypeParser: parserOf };

// Names of prepared statements, the same on every connection.
const statementNames = new Map<string, string>();
const maxStatementNames = 2000;

function statementName(sql: string): string {
  let name = statementNames.get(sql);
  if (name === undefined && statementNames.size < maxStatementNames) {
    name = `p${statementNames.size}`;
    statementNames.set(sql, name);
  }
  return name ?? '';
}

/** A statement with its values and its answer. */
export class Statement {
  readonly sql: string;
  /** Of the prepared statement; empty if it is not prepared. */
  readonly name: string;
  readonly values: readonly TextValue[];
  readonly rows: RawRow[] = [];
  /** The tag of its completion: `COMMIT`, `UPDATE 1`. */
  tag = '';
  parsers: readonly Parser[] | undefined;
  #settle: { resolve(rows: RawRow[]): void; reject(error: unknown): void } | null = null;

  constructor(sql: string, parameters: readonly unknown[], prepared: boolean) {
    this.sql = sql;
    this.name = prepared ? statementName(sql) : '';
    this.values = parameters.map(textOf);
  }

  /** Resolves to the rows when its group has ended. */
  get done(): Promise<RawRow[]> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  resolve(): void {
    this.#settle?.resolve(this.rows);
  }

  reject(error: unknown): void {
    this.#settle?.reject(error);
  }
}

/** What pg's types leave out of a connection. */
interface Connection extends pg.Connection {
  /** The texts of prepared statements by name, and of those that are not confirmed yet. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** The columns of prepared statements, which a connection describes once. */
type Columns = Map<string, readonly Parser[]>;

const described = new WeakMap<pg.Connection, Columns>();

const writer = new MessageWriter();

/**
 * Statements that are sent by one write, and run up to the first that fails: PostgreSQL skips the rest. A query as pg's client sees it,
 * which calls the methods in the order of the answers. pg's own class costs as much as the rest of the driver. [ADR 127]
 */
export class StatementGroup {
  readonly #statements: readonly Statement[];
  #columns: Columns | undefined;
  #current = 0;
  /** Called at its end. pg wraps it if DATABASE_URL has a `query_timeout`, which would close the connection otherwise. */
  callback: () => void;

  constructor(statements: readonly Statement[], callback: () => void) {
    this.#statements = statements;
    this.callback = callback;
  }

  /** The name and the text of the statement that is answered now; pg keeps them once it is parsed. */
  get name(): string {
    return this.#statements[this.#current]?.name ?? '';
  }
  get text(): string {
    return this.#statements[this.#current]?.sql ?? '';
  }

  /** Sends the statements. Returns the error of one that cannot be written, which pg passes to {@link handleError}. */
  submit(connection: Connection): unknown {
    this.#columns = described.get(connection) ?? new Map();
    described.set(connection, this.#columns);
    try {
      this.#write(connection, this.#columns);
    } catch (error) {
      writer.take();
      return error;
    }
    const messages = writer.take();
    if (connection.stream.writable) connection.stream.write(messages);
    return null;
  }

  #write({ parsedStatements: parsed, submittedNamedStatements: submitted }: Connection, columns: Columns): void {
    for (const statement of this.#statements) {
      const { name, sql, values } = statement;
      if (name === '' || (parsed[name] === undefined && submitted[name] === undefined)) {
        writer.parse(name, sql);
        if (name !== '') submitted[name] = sql;
      }
      statement.parsers = columns.get(name);
      writer.bind(name, values);
      if (!statement.parsers) writer.describe();
      writer.execute();
    }
    writer.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    const statement = this.#statements[this.#current];
    if (statement) statement.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  handleDataRow({ fields }: { readonly fields: (string | Buffer | null)[] }): void {
    const statement = this.#statements[this.#current];
    const parsers = statement?.parsers ?? [];
    const row: unknown[] = fields;
    // Not by entries(), which takes twice as long.
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] ?? null;
      if (field === null) continue;
      const parser = parsers[i];
      row[i] = typeof field === 'string' ? parser?.(field) : parser === unchanged ? field : parser?.(field.toString());
    }
    statement?.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const statement = this.#statements[this.#current++];
    if (!statement) return;
    statement.tag = text;
    if (statement.name !== '') this.#columns?.set(statement.name, statement.parsers ?? []);
  }

  handleReadyForQuery(): void {
    this.callback();
    for (const statement of this.#statements) statement.resolve();
  }

  handleError(error: unknown, { submittedNamedStatements: submitted }: Connection): void {
    this.callback();
    const translated = translateError(error);
    for (const [index, statement] of this.#statements.entries()) {
      if (index < this.#current) statement.resolve();
      else {
        // PostgreSQL did not parse it.
        delete submitted[statement.name];
        statement.reject(translated);
      }
    }
  }
}

/** The part of pg-protocol that reads a value of a row. */
interface ValueReader {
  readonly buffer: Buffer;
  offset: number;
  string(length: number): string | Buffer;
}

const fromPg = createRequire(createRequire(import.meta.url).resolve('pg'));
const { prototype: reader }: { prototype: ValueReader } = fromPg('pg-protocol/dist/buffer-reader.js').BufferReader;
const readString = reader.string;

// As a string, a list would be decoded, kept in the heap of V8 and encoded again. [ADR 127]
reader.string = function (length) {
  if (length < longText) return readString.call(this, length);
  const start = this.offset;
  this.offset += length;
  // A copy: the rest of the buffer is used again.
  return Buffer.from(this.buffer.subarray(start, this.offset));
};

// In pipeline mode, pg accepts its own class only, because it does not know which others leave a portal open.
Object.setPrototypeOf(StatementGroup.prototype, pg.Query.prototype);
