import { describe, expect, it } from 'vitest';
import { decodeTable, parseTable } from './text-table.ts';

const text = 'Möhre;1,5 €\r\n';

describe('decodeTable', () => {
  it.each([
    ['UTF-8', Buffer.from(text), null],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`), null],
    ['UTF-16 of Excel', Buffer.from(`\uFEFF${text}`, 'utf16le'), null],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), null],
    ['UTF-16 with the high byte first', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), null],
    ['Windows-1252 that is named', Buffer.from('M\xf6hre;1,5 \x80\r\n', 'latin1'), 'windows-1252'],
    ['a mark, whatever is named', Buffer.from(`\uFEFF${text}`), 'windows-1252'],
  ])('reads %s', (_what, bytes, encoding) => {
    expect(decodeTable(bytes, encoding)).toBe(text);
  });

  it.each([
    [Buffer.from('M\xf6hre', 'latin1'), null, 'neither UTF-8 nor UTF-16'],
    [Buffer.from('M\xf6hre', 'latin1'), 'utf-8', 'The table is not utf-8.'],
    [Buffer.from('x'), 'klingon', 'The encoding klingon is unknown.'],
  ])('refuses others in words', (bytes, encoding, message) => {
    expect(() => decodeTable(bytes, encoding)).toThrow(message);
  });
});

describe('parseTable', () => {
  it.each([
    ['commas', 'a,b\n1,"x, y"\n'],
    ['semicolons, and commas in numbers', 'a;b\r\n1;x, y\r\n'],
    ['tabs', 'a\tb\n1\tx, y'],
    ['a line for Excel', 'sep=;\r\na;b\r\n1;x, y\r\n'],
    ['the line ends of old Macs', 'a;b\r1;x, y\r'],
    ['blanks around cells', 'a ; b\n 1;x, y '],
  ])('reads tables with %s', (_what, content) => {
    const { head, rows } = parseTable(content);
    expect([head, rows.map(({ cells }) => cells)]).toEqual([['a', 'b'], [['1', 'x, y']]]);
  });

  it('counts rows as spreadsheets do, and leaves out empty ones', () => {
    expect(parseTable('\na,b\n"two\nlines",2\n\n,\n3,"say ""hi"""\n').rows).toEqual([
      { number: 3, cells: ['two\nlines', '2'] },
      { number: 6, cells: ['3', 'say "hi"'] },
    ]);
    expect(parseTable('sep=,\na\n1').rows).toEqual([{ number: 3, cells: ['1'] }]);
  });

  it('skips millions of empty lines', () => {
    expect(parseTable(`a,b\n${'\n'.repeat(4_000_000)}1,2`).rows).toEqual([{ number: 4_000_002, cells: ['1', '2'] }]);
  });

  it('takes quotation marks inside of cells as they are', () => {
    expect(parseTable('a,b\n5" pot,x\n').rows[0]?.cells).toEqual(['5" pot', 'x']);
  });

  it.each([
    ['nothing', '', 'The table is empty'],
    ['empty cells', '\r\n,,\r\n', 'The table is empty'],
    ['an open quotation mark', 'a,b\n1,2\n\n3,"four\n5,6\n', 'Row 4: a quotation mark is not closed.'],
    ['a long row', `a,b\n1,${'2'.repeat(100_001)}\n`, 'Row 2 has more than 100000 characters.'],
    ['too many cells', `a,b\n1,2\n${','.repeat(60)}\n`, 'Row 3 has more than 60 cells.'],
    ['rows after too many empty ones', `a,b\n${',\n'.repeat(5000)}1,2`, 'Row 5002: there may be at most 5000 rows.'],
    ['too many rows', `a,b\n${'1,2\n'.repeat(5001)}`, 'Row 5002: there may be at most 5000 rows.'],
  ])('refuses %s', (_what, content, message) => {
    expect(() => parseTable(content)).toThrow(message);
  });
});
