import { textCell, textOfCell } from '../../core/csv-text.ts';
import { labels } from '../../core/field-labels.ts';
import type { ZoneOffsets } from '../../core/local-day.ts';
import type { Message } from '../../core/message.ts';
import { plainLetters } from '../../core/plain-letters.ts';
import { parseTime } from '../../core/time-formats.ts';
import type { DeviceScope, JsonText } from '../../db/scope.ts';
import type { Field } from '../../engine/fields.ts';
import type { CropSearch } from '../../garden/crop-search.ts';
import { curves } from '../../garden/curves.ts';
import { points } from '../../garden/points.ts';
import { tools } from '../../garden/tools.ts';
import { say } from '../messages.ts';

/** The names of the records that points refer to, which tables have instead of ids. */
export interface PointReferences {
  readonly curves: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, number>;
}

/** Reads the references of a garden. */
export async function pointReferences(scope: DeviceScope): Promise<PointReferences> {
  const ids = (rows: readonly { readonly id: number; readonly name: string }[]) =>
    new Map(rows.map(({ id, name }) => [name, id]));
  return { curves: ids(await scope.rows(curves)), tools: ids(await scope.rows(tools)) };
}

/** How the cells of a row are read. */
export interface CellContext {
  /** What separates the cells of the table. */
  readonly delimiter: string;
  readonly references: PointReferences;
  readonly crops: CropSearch;
  /** Of the garden: days begin in it. */
  readonly offsets: ZoneOffsets;
  /** How the dates of the column are written; null: that is not known. */
  readonly dayFirst: boolean | null;
  /** The current time, in ms. */
  readonly now: number;
}

/** The value of a cell, or why it has none. A null is not stored. `others`: values of fields that the row leaves out. */
type Cell =
  | { readonly value: unknown; readonly remark?: Message; readonly others?: Readonly<Record<string, unknown>> }
  | { readonly problem: Message };

/** A column of the table. */
export interface PointColumn {
  /** The field of a point. */
  readonly field: string;
  readonly read: (text: string, context: CellContext) => Cell;
}

const number = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i;

/** Matches a number that has a decimal comma in one country, and thousands in another. */
const ambiguousNumber = /^[+-]?[1-9]\d{0,2},\d{3}$/;

function readNumber(text: string, { delimiter }: CellContext): Cell {
  if (!number.test(text)) return { problem: say.noNumber(text) };
  // Only where commas are decimal do spreadsheets separate cells by semicolons.
  if (delimiter !== ';' && ambiguousNumber.test(text)) return { problem: say.ambiguousNumber(text) };
  return { value: Number(text.replace(',', '.')) };
}

/** Yes and no as spreadsheets in English, French and German write them. */
const truths: readonly (readonly string[])[] = [
  ['false', 'no', '0', 'faux', 'non', 'falsch', 'nein'],
  ['true', 'yes', '1', 'vrai', 'oui', 'wahr', 'ja'],
];

function readTruth(text: string): Cell {
  const index = truths.findIndex((words) => words.includes(text.toLowerCase()));
  return index < 0 ? { problem: say.noTruth } : { value: index === 1 };
}

function readJson(text: string): Cell {
  try {
    return { value: JSON.parse(textOfCell(text)) };
  } catch {
    return { problem: say.noObject };
  }
}

const isoDay = /^(\d{4})-(\d\d?)-(\d\d?)$/;
const localDay = /^(\d\d?)[./-](\d\d?)[./-](\d{4})$/;

/** Whether dates begin with the day, as these in a column show; null: they do not. */
export function dayComesFirst(texts: readonly string[]): boolean | null {
  const parts = texts.flatMap((text) => {
    const [, first, second] = localDay.exec(text) ?? [];
    return first === undefined ? [] : [{ first: Number(first), second: Number(second), hasDots: text.includes('.') }];
  });
  if (parts.some(({ first, hasDots }) => first > 12 || hasDots)) return true;
  return parts.some(({ second }) => second > 12) ? false : null;
}

const halfDay = 43_200_000;

/** Returns noon of a day in the garden, as where a day is chosen in the console; null: there is no such day. */
function noonOf(year: number, month: number, day: number, offsets: ZoneOffsets): string | null {
  const noon = Date.UTC(year, month - 1, day, 12);
  const date = new Date(noon);
  // Years below 100 would be those of the last century.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return new Date(noon - offsets.at(noon - offsets.at(noon))).toISOString();
}

/** Reads a day, at noon in the garden, or a time. Without a stage, a plant is planted from that day on, and planned before. */
function readTime(text: string, { offsets, dayFirst, now }: CellContext): Cell {
  const [, ...iso] = isoDay.exec(text) ?? [];
  const [, first, second, year] = localDay.exec(text) ?? [];
  if (year !== undefined && dayFirst === null && first !== second) return { problem: say.ambiguousDay(text) };
  const [day, month] = dayFirst === false ? [second, first] : [first, second];
  const parts = iso.length > 0 ? iso.map(Number) : year === undefined ? null : [year, month, day].map(Number);
  const value = parts ? noonOf(parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, offsets) : parseTime(text);
  if (value === null) return { problem: say.noDay(text) };
  const begins = Date.parse(value) - (parts ? halfDay : 0);
  return { value, others: { plant_stage: begins <= now ? 'planted' : 'planned' } };
}

const referenceReader =
  (table: keyof PointReferences) =>
  (text: string, { references }: CellContext): Cell => {
    const value = references[table].get(textOfCell(text));
    return value === undefined ? { value: null, remark: say.unknownName(text) } : { value };
  };

/** A crop by its slug or a name; unknown ones stay as they are. */
function readCrop(text: string, { crops }: CellContext): Cell {
  const crop = crops.named(text);
  if (!crop) return { value: text, remark: say.unknownCrop(text), others: { name: text } };
  return { value: crop.slug, others: { name: text, depth: crop.sowing_depth } };
}

const choices = (field: Field): readonly string[] =>
  Array.isArray(field.kind.input.enum) ? field.kind.input.enum.map(String) : [];

/** Returns how the cells of a field are read. */
function readerOf(field: Field): PointColumn['read'] {
  const table = field.traits.foreignKey?.table;
  if (table === 'curves' || table === 'tools') return referenceReader(table);
  const { column } = field.kind;
  if (column === 'float' || column === 'integer' || column === 'bigint') return readNumber;
  if (column === 'boolean') return readTruth;
  if (column === 'json') return readJson;
  if (column === 'time') return readTime;
  return (text) => ({
    value: choices(field).find((each) => each.toLowerCase() === text.toLowerCase()) ?? textOfCell(text),
  });
}

/** Fields that tables have: those that a request may set. */
const fields = Object.entries<Field>(points.fields).filter(([, { traits }]) => traits.writability !== 'never');

/** THE list of columns, by the fields of points. */
const columns: ReadonlyMap<string, PointColumn> = new Map(
  fields.map(([field, declared]) => [field, { field, read: readerOf(declared) }]),
);

const cropColumn: PointColumn = { field: 'openfarm_slug', read: readCrop };

/** A heading without accents, units in parentheses, and punctuation. */
const headingOf = (text: string): string =>
  plainLetters(text.replaceAll(/\([^()]*\)/g, ''))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Headings besides the names and labels of fields. */
const others: Readonly<Record<string, readonly string[]>> = {
  planted_at: ['planted', 'date', 'planting date', 'sown', 'sown on', 'plantation', 'semé le', 'gepflanzt', 'gesät'],
  depth: ['depth', 'profondeur', 'Tiefe'],
  radius: ['Radius'],
  name: ['Name'],
};

/** Columns by their headings: the names of fields, and their labels in both languages. */
const byHeading: ReadonlyMap<string, PointColumn> = new Map([
  ...fields.flatMap(([name, { traits }]) => {
    const column = columns.get(name);
    const headings = [name, ...Object.values(traits.label ?? {}), ...(others[name] ?? [])].map(headingOf);
    return column ? headings.map((heading) => [heading, column] as const) : [];
  }),
  ...[...Object.values(labels.crop), 'plant', 'plante', 'Pflanze', 'Kultur'].map(
    (heading) => [headingOf(heading), cropColumn] as const,
  ),
]);

/** Returns the column with a heading. */
export const columnOf = (heading: string): PointColumn | undefined => byHeading.get(headingOf(heading));

/** Returns the rows of a table of points, which an import of it into this garden stores again. */
export function tableOf(records: JsonText, references: PointReferences): readonly (readonly string[])[] {
  const names = { curves: namesOf(references.curves), tools: namesOf(references.tools) };
  const list = JSON.parse(String(records)) as Readonly<Record<string, unknown>>[];
  const cellOf = ([name, { traits }]: readonly [string, Field], value: unknown): string => {
    if (value === undefined || value === null) return '';
    const table = traits.foreignKey?.table;
    if (table === 'curves' || table === 'tools') return textCell(names[table].get(Number(value)) ?? '');
    if (name === 'meta') return Object.keys(value).length > 0 ? textCell(JSON.stringify(value)) : '';
    return typeof value === 'string' ? textCell(value) : String(value);
  };
  return [
    fields.map(([name]) => name),
    ...list.map((record) => fields.map((field) => cellOf(field, record[field[0]]))),
  ];
}

const namesOf = (ids: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
  new Map([...ids].map(([name, id]) => [id, name]));
