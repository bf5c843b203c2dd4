import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../core/system.ts';
import { decodeTable, parseTable, TableError } from '../core/text-table.ts';
import type { Crop, CropColumn } from './crop-columns.ts';
import { cropColumns, toCrop } from './crop-columns.ts';

/** The crops by slug, in the order of their English names. */
export type CropCatalog = ReadonlyMap<string, Crop>;

/** A file of crops cannot be read, or a row of it is invalid. The message names the row and the column. */
export class InvalidCropsFile extends Error {}

/** Maximum size of a file of crops in bytes. */
const maxFileSize = 4_000_000;

const columns = Object.entries(cropColumns);
const columnNames = new Map<CropColumn, string>(columns.map(([name, column]) => [column, name]));

/** Parses a file of crops: a row with the names of columns, then one row per crop. Throws InvalidCropsFile. */
export function parseCrops(content: string): Crop[] {
  const { head: names, rows } = readable(() => parseTable(content));
  const missing = columns.find(([name, { isOptional }]) => !isOptional && !names.includes(name));
  if (missing) throw new InvalidCropsFile(`row 1: the column "${missing[0]}" is missing`);
  const unknown = names.find((name, index) => !Object.hasOwn(cropColumns, name) || names.indexOf(name) !== index);
  if (unknown !== undefined)
    throw new InvalidCropsFile(`row 1: "${shown(unknown)}" is not a column, or is there twice`);
  const slugs = new Set<string>();
  return rows.map(({ cells, number }) => {
    const crop = parseRow(names, cells, number);
    if (slugs.has(crop.slug)) throw new InvalidCropsFile(`row ${number}, slug: "${crop.slug}" is there already`);
    slugs.add(crop.slug);
    return crop;
  });
}

/** Reads a table. Throws InvalidCropsFile. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof TableError ? new InvalidCropsFile(error.message) : error;
  }
}

const shown = (text: string): string => text.slice(0, 80);

function parseRow(names: readonly string[], values: readonly string[], row: number): Crop {
  if (values.length !== names.length)
    throw new InvalidCropsFile(`row ${row}: has ${values.length} values instead of ${names.length}`);
  return toCrop((column) => {
    const name = columnNames.get(column) ?? '';
    const text = values[names.indexOf(name)] ?? '';
    const value = column.parse(text);
    if (value === undefined)
      throw new InvalidCropsFile(`row ${row}, ${name}: must be ${column.values}, not "${shown(text)}"`);
    return value;
  });
}

const isEmpty = (lists: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.values(lists).flat().length === 0;

const builtIn = join(import.meta.dirname, 'crops.tsv');

/** Returns the crops of this repository, replaced and extended by the operator's file. A crop that has no synonyms, neighbors or yield there keeps those that it has here. Throws InvalidCropsFile. */
export async function loadCropCatalog(file: string | null): Promise<CropCatalog> {
  const own = file === null ? [] : parseCrops(await readOwn(file));
  const crops = new Map(parseCrops(await readFile(builtIn, 'utf8')).map((crop) => [crop.slug, crop]));
  for (const crop of own) {
    const known = crops.get(crop.slug) ?? crop;
    const { synonyms } = isEmpty(crop.synonyms) ? known : crop;
    const { neighbors } = isEmpty(crop.neighbors) ? known : crop;
    crops.set(crop.slug, { ...crop, synonyms, neighbors, yield: crop.yield ?? known.yield });
  }
  const collator = new Intl.Collator('en');
  return new Map([...crops].sort(([, a], [, b]) => collator.compare(a.names.en, b.names.en)));
}

async function readOwn(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > maxFileSize)
      throw new InvalidCropsFile(`${file} has more than ${maxFileSize / 1_000_000} MB`);
    const bytes = await readFile(file);
    return readable(() => decodeTable(bytes, null));
  } catch (error) {
    if (error instanceof InvalidCropsFile) throw error;
    throw new InvalidCropsFile(`${file} cannot be read (${errorCode(error) ?? String(error)})`);
  }
}
