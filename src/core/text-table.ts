import type { Info } from 'csv-parse/sync';
import { CsvError, parse } from 'csv-parse/sync';
import type { Message } from './message.ts';
import { messagesIn } from './message.ts';

/** Messages about tables that cannot be read. */
const say = messagesIn({
  en: {
    otherEncoding:
      'The table is neither UTF-8 nor UTF-16. Save it as UTF-8, or name its encoding: windows-1252 is that of older programs.',
    wrongEncoding: (encoding: string) => `The table is not ${encoding}.`,
    unknownEncoding: (encoding: string) => `The encoding ${encoding} is unknown.`,
    openQuote: (row: number) => `Row ${row}: a quotation mark is not closed.`,
    longRow: (row: number, max: number) => `Row ${row} has more than ${max} characters.`,
    manyCells: (row: number, max: number) => `Row ${row} has more than ${max} cells.`,
    manyRows: (row: number, max: number) => `Row ${row}: there may be at most ${max} rows.`,
    noHead: 'The table is empty: its first row must name the columns.',
  },
  fr: {
    otherEncoding:
      'Le tableau n’est ni en UTF-8 ni en UTF-16. Enregistrez-le en UTF-8, ou nommez son codage : windows-1252 est celui d’anciens programmes.',
    wrongEncoding: (encoding) => `Le tableau n’est pas en ${encoding}.`,
    unknownEncoding: (encoding) => `Le codage ${encoding} est inconnu.`,
    openQuote: (row) => `Ligne ${row} : un guillemet n’est pas fermé.`,
    longRow: (row, max) => `La ligne ${row} dépasse ${max} caractères.`,
    manyCells: (row, max) => `La ligne ${row} dépasse ${max} cellules.`,
    manyRows: (row, max) => `Ligne ${row} : il y a au plus ${max} lignes.`,
    noHead: 'Le tableau est vide : sa première ligne doit nommer les colonnes.',
  },
});

/** A table cannot be read. */
export class TableError extends Error {
  readonly sentence: Message;

  constructor(sentence: Message) {
    super(String(sentence));
    this.name = 'TableError';
    this.sentence = sentence;
  }
}

/** The encodings that files name in their first bytes. */
const marks: readonly (readonly [encoding: string, mark: Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/** Returns the encoding of a file that names none. Letters of Western languages have a zero byte in UTF-16. */
function likelyEncoding(bytes: Buffer): string {
  if (bytes[1] === 0) return 'utf-16le';
  return bytes[0] === 0 ? 'utf-16be' : 'utf-8';
}

function decoderFor(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new TableError(say.unknownEncoding(encoding.slice(0, 80)));
  }
}

/** Decodes the bytes of a table: UTF-8, UTF-16, or `encoding` if it is named; a byte order mark precedes it. Throws {@link TableError}. */
export function decodeTable(bytes: Buffer, encoding: string | null): string {
  const [marked] = marks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark)) ?? [];
  const name = marked ?? encoding ?? likelyEncoding(bytes);
  const decoder = decoderFor(name);
  try {
    // As a stream: Node 20 takes windows-1252 for ISO 8859-1 otherwise.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    throw new TableError(encoding === null ? say.otherEncoding : say.wrongEncoding(name));
  }
}

/** A row of a table. */
export interface TableRow {
  /** The number that spreadsheets show. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** The rows of a table that are not empty, without the first, which names the columns. */
export interface TextTable {
  /** What separates the cells. */
  readonly delimiter: string;
  readonly head: readonly string[];
  readonly rows: readonly TableRow[];
}

/** Limits of a table, so that reading it takes less than a second. */
const maxRows = 5000;
const maxCells = 60;
const maxRowLength = 100_000;

const delimiters = [',', ';', '\t'];

/** Returns what separates the cells: the most frequent one in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = /[^\r\n]+/.exec(text) ?? [];
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((each) => bare.split(each).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Parses the text of a table whose cells are separated by commas, semicolons or tabs, as spreadsheets write them. Throws {@link TableError}. */
export function parseTable(text: string): TextTable {
  // Excel reads and writes a line that names the delimiter.
  const [named = '', delimiter = delimiterOf(text)] = /^sep=([,;\t])\r?\n/.exec(text) ?? [];
  const rowAfter = ({ records, empty_lines }: Pick<Info, 'records' | 'empty_lines'>): number =>
    records + empty_lines + (named === '' ? 0 : 1);
  const found: TableRow[] = [];
  try {
    parse(text.slice(named.length), {
      delimiter,
      recordDelimiter: ['\r\n', '\n', '\r'],
      relaxColumnCount: true,
      relaxQuotes: true,
      skipEmptyLines: true,
      maxRecordSize: maxRowLength,
      onRecord(record: string[], info) {
        const row = rowAfter(info);
        if (record.length > maxCells) throw new TableError(say.manyCells(row, maxCells));
        // Rows of empty cells take as long.
        if (info.records > maxRows + 1) throw new TableError(say.manyRows(row, maxRows));
        const cells = record.map((cell) => cell.trim());
        if (cells.some((cell) => cell !== '')) found.push({ number: row, cells });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, records, empty_lines } = error as CsvError & Pick<Info, 'records' | 'empty_lines'>;
    const row = rowAfter({ records, empty_lines }) + 1;
    if (code === 'CSV_QUOTE_NOT_CLOSED') throw new TableError(say.openQuote(row));
    if (code === 'CSV_MAX_RECORD_SIZE') throw new TableError(say.longRow(row, maxRowLength));
    throw error;
  }
  const [head, ...rows] = found;
  if (!head) throw new TableError(say.noHead);
  return { delimiter, head: head.cells, rows };
}
