import type { Command } from 'commander';
import { jsonText, print, printable } from './terminal.ts';

/** A value of a list: yes or no in tables; null is empty there. */
export type Cell = string | number | boolean | null;

/** The columns of a list by name, which is the heading in tables and the key in JSON. */
export type ListingColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface ListOptions {
  readonly json?: true;
}

const columnNames = new WeakMap<Command, readonly string[]>();

/** Returns the names of the columns that a command lists; undefined if it lists nothing. */
export const columnsOf = (command: Command): readonly string[] | undefined => columnNames.get(command);

const cellText = (cell: Cell): string =>
  printable(cell === null ? '' : typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : cell);

/** Returns lines with aligned columns, numbers to the right. */
function alignedLines(heading: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const texts = [heading, ...rows.map((row) => row.map(cellText))];
  // Not `Math.max(...)`: a call has no room for the widths of a hundred thousand rows.
  const widths = heading.map((_name, column) =>
    texts.reduce((width, row) => Math.max(width, [...(row[column] ?? '')].length), 0),
  );
  const isNumber = heading.map((_name, column) => rows.some((row) => typeof row[column] === 'number'));
  return texts.map((row) =>
    row
      .map((text, column) => {
        const padding = ' '.repeat((widths[column] ?? 0) - [...text].length);
        return isNumber[column] ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A list that a command prints: as a table on a terminal, separated by tabs elsewhere, or as JSON. */
export class Listing<Row> {
  readonly #columns: ListingColumns<Row>;

  constructor(columns: ListingColumns<Row>) {
    this.#columns = columns;
  }

  /** Adds the option `--json` to a command. */
  addTo(command: Command): Command {
    columnNames.set(command, Object.keys(this.#columns));
    return command.option('--json', `print JSON: an array of objects with ${Object.keys(this.#columns).join(', ')}`);
  }

  print(rows: readonly Row[], options: ListOptions): void {
    print(this.format(rows, options, process.stdout.isTTY));
  }

  /** Returns the printed text, without the last line break. */
  format(rows: readonly Row[], { json }: ListOptions, isTerminal: boolean): string {
    const columns = Object.entries(this.#columns);
    if (json) {
      const objects = rows.map((row) => Object.fromEntries(columns.map(([name, value]) => [name, value(row)])));
      return jsonText(objects);
    }
    const heading = columns.map(([name]) => name);
    const cells = rows.map((row) => columns.map(([, value]) => value(row)));
    const lines = isTerminal
      ? alignedLines(heading, cells)
      : [heading, ...cells.map((row) => row.map(cellText))].map((row) => row.join('\t'));
    return lines.join('\n');
  }
}
