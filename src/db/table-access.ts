import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { inParts } from '../core/request-pause.ts';
import type { Insertable, JsonExpressions, JsonListing, JsonText, NumberColumn, Query, Selection } from './scope.ts';
import type { RawRow, Reader } from './session.ts';
import type { BoundStatement, Statements } from './statements.ts';
import { maxRowsPerInsert, wholeRow } from './statements.ts';
import type { Table } from './table.ts';

/** Table access of one scope: runs statements in its session, limits them to its device, and sets timestamps and owner on writes. */
export class TableAccess {
  readonly #session: Reader;
  readonly #statements: Statements;
  readonly #clock: Clock;
  readonly #deviceId: number | null;

  constructor(session: Reader, statements: Statements, clock: Clock, deviceId: number | null) {
    this.#session = session;
    this.#statements = statements;
    this.#clock = clock;
    this.#deviceId = deviceId;
  }

  async select<Row, T>(table: Table<Row>, selection: Selection<T>, query: Query<Row> = {}): Promise<T[]> {
    const rows = this.#run(this.#statements.select(table, this.#owner(table), query, selection));
    const raw = rows instanceof Promise ? await rows : rows;
    return raw.map((row) => selection.read(row));
  }

  rows<Row>(table: Table<Row>, query: Query<Row> = {}): Promise<Row[]> {
    return this.select(table, wholeRow(table) as Selection<Row>, query);
  }

  async first<Row>(table: Table<Row>, query: Query<Row> = {}): Promise<Row | undefined> {
    return (await this.rows(table, { ...query, limit: 1 }))[0];
  }

  async numbers<Row>(table: Table<Row>, names: readonly string[], query: Query<Row> = {}): Promise<NumberColumn[]> {
    const rows = this.#run(this.#statements.numbers(table, this.#owner(table), query, names));
    const raw = rows instanceof Promise ? await rows : rows;
    return (raw[0] ?? []).map((text) => JSON.parse(String(text)));
  }

  async jsonList<Row>(table: Table<Row>, json: JsonExpressions, query: Query<Row> = {}): Promise<JsonText> {
    const rows = this.#run(this.#statements.jsonList(table, this.#owner(table), query, json));
    const raw = rows instanceof Promise ? await rows : rows;
    return raw[0]?.[0] as JsonText;
  }

  /** Device scopes only: without an owner, the lists would contain the rows of all devices. */
  async jsonLists(listings: readonly JsonListing[]): Promise<string[]> {
    if (this.#deviceId === null) throw new Error('jsonLists needs a device scope');
    const rows = this.#run(this.#statements.jsonLists(listings, this.#deviceId));
    const raw = rows instanceof Promise ? await rows : rows;
    return (raw[0] ?? []).map(String);
  }

  async count<Row>(table: Table<Row>, query: Query<Row> = {}): Promise<number> {
    const rows = await this.#run(this.#statements.count(table, this.#owner(table), query));
    return Number(rows[0]?.[0]);
  }

  async sum<Row>(table: Table<Row>, column: keyof Row & string, query: Query<Row> = {}): Promise<number> {
    const rows = await this.#run(this.#statements.sum(table, this.#owner(table), column, query));
    return Number(rows[0]?.[0]);
  }

  async insertAll<Row, T = Row>(
    table: Table<Row>,
    rows: readonly Insertable<Row>[],
    returned = wholeRow(table) as Selection<T>,
  ): Promise<T[]> {
    const common = { owner: this.#owner(table), now: currentTimestamp(this.#clock) };
    const inserted: T[] = [];
    await inParts(rows, maxRowsPerInsert, async (part) => {
      for (const row of await this.#run(this.#statements.insert(table, part, common, returned)))
        inserted.push(returned.read(row));
    });
    return inserted;
  }

  async update<Row, T = Row>(
    table: Table<Row>,
    changes: Partial<Row>,
    query: Query<Row>,
    returned = wholeRow(table) as Selection<T>,
  ): Promise<T[]> {
    const values: Record<string, unknown> = { updated_at: currentTimestamp(this.#clock), ...changes };
    const raw = await this.#run(this.#statements.update(table, this.#owner(table), values, query, returned));
    return raw.map((row) => returned.read(row));
  }

  async delete<Row>(table: Table<Row>, query: Query<Row>): Promise<Row[]> {
    const raw = await this.#run(this.#statements.delete(table, this.#owner(table), query));
    const { read } = wholeRow(table);
    return raw.map((row) => read(row) as Row);
  }

  async trim<Row>(table: Table<Row>, keep: number): Promise<void> {
    await this.#run(this.#statements.trim(table, this.#owner(table), keep));
  }

  #run(statement: BoundStatement): RawRow[] | Promise<RawRow[]> {
    return this.#session.query(statement.sql, statement.parameters, statement.prepared);
  }

  /** Returns the device that statements on this table are limited to. Throws if a device scope uses a table without an owner. */
  #owner(table: Table<unknown>): number | null {
    if (this.#deviceId === null) return null;
    if (table.owner === null) throw new Error(`${table.name} belongs to no device`);
    return this.#deviceId;
  }
}
