import { expect, it } from 'vitest';
import { csvOf, textCell, textOfCell } from './csv-text.ts';
import { parseTable } from './text-table.ts';

it.each([
  ['plain; text'],
  ['3 = 1+2'],
  ["'quoted'"],
  ['say "hi"'],
  ['two\nlines'],
  [''],
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ['@sum', "'@sum"],
  ['-3', "'-3"],
  [' =1', "' =1"],
  ['a;=HYPERLINK("http://e");b', 'a;\'=HYPERLINK("http://e");b'],
  ["a;' =1;;-2", "a;'' =1;;'-2"],
  ['two\r\n=1\t+1', "two\r\n'=1\t'+1"],
])('writes %j as a cell that it reads again, and that no spreadsheet computes', (text, cell = text) => {
  expect(textCell(text)).toBe(cell);
  const [row] = parseTable(csvOf([['name'], [textCell(text), 'x']])).rows;
  expect(textOfCell(row?.cells[0] ?? '')).toBe(text);
});
