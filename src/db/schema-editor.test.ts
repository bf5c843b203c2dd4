import { expect, it } from 'vitest';
import { indexName } from './schema-editor.ts';

it('names of indexes longer than 60 characters end in a checksum of the whole name', () => {
  const column = 'a'.repeat(50);
  expect(indexName('xyz', [column], false)).toBe(`xyz_${column}_index`);
  expect(indexName('wxyz', [column], false)).toBe(`wxyz_${'a'.repeat(45)}_455638`);
  expect(indexName('table', [column, 'b'], true)).toBe(`table_${'a'.repeat(44)}_444396`);
});
