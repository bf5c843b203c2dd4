import type { DialectName } from './dialect.ts';
import type { Selection } from './scope.ts';
import { wholeRow } from './statements.ts';
import type { Table } from './table.ts';

/** A row with the JSON of its record. */
interface RowWithState {
  readonly id: number;
  readonly row: Record<string, unknown>;
  readonly state: string;
}

const rowsWithState = new WeakMap<Table<unknown>, Selection<RowWithState>>();

/** Returns the selection of whole rows with the columns of `states`, an id and the JSON of the record. */
export function withState(
  table: Table<unknown>,
  states: Selection<readonly [number, string]>,
): Selection<RowWithState> {
  let selection = rowsWithState.get(table);
  if (!selection) {
    const whole = wholeRow(table);
    const columns = whole.expressions as readonly string[];
    const { sqlite, postgres } = states.expressions as Readonly<Record<DialectName, readonly string[]>>;
    selection = {
      key: 'row with state',
      expressions: { sqlite: [...columns, ...sqlite], postgres: [...columns, ...postgres] },
      read(raw) {
        const [id, state] = states.read(raw.slice(columns.length));
        return { id, state, row: whole.read(raw) };
      },
    };
    rowsWithState.set(table, selection);
  }
  return selection;
}
