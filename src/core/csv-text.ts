/**
 * Returns a text as a cell that no spreadsheet computes: an apostrophe precedes what could begin a formula. A spreadsheet that
 * expects another separator than commas divides cells within their quotation marks.
 */
export const textCell = (text: string): string => text.replaceAll(/(^|[;\t\r\n])(?=[ ']*[=+\-@\t\r])/g, "$1'");

/** Returns the text of a cell that {@link textCell} may have written. */
export const textOfCell = (cell: string): string => cell.replaceAll(/(^|[;\t\r\n])'(?=[ ']*[=+\-@\t\r])/g, '$1');

/** Writes rows as CSV (RFC 4180). */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) =>
      cells.map((cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    .map((line) => `${line}\r\n`)
    .join('');
