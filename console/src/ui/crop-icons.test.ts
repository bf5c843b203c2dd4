import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cropIcons } from './crop-icons.ts';

it('has a picture for each crop of the catalog, and no other', () => {
  const rows = readFileSync('src/garden/crops.tsv', 'utf8').trim().split('\n').slice(1);
  expect(Object.keys(cropIcons)).toEqual(rows.map((row) => row.split('\t')[0]).sort());
  const files = readdirSync('console/src/ui/crops').map((file) => file.replace('.svg', ''));
  expect([...new Set(Object.values(cropIcons))].sort()).toEqual(files.sort());
});
