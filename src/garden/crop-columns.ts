import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';

/** How the text of one column of a file of crops is parsed. */
export interface Column {
  /** The valid values, for errors: "a whole number …". */
  readonly values: string;
  readonly schema: JsonSchema;
  /** Returns undefined for invalid text. */
  parse(text: string): unknown;
}

const maxNameLength = 80;

/** Text without a line break; `empty` is null. */
const text = (description: string, options: { readonly mayBeEmpty?: true } = {}): Column => ({
  values: `text of at most ${maxNameLength} characters`,
  schema: options.mayBeEmpty ? Type.Nullable(Type.String({ description })) : Type.String({ description }),
  parse: (value) =>
    value.length > maxNameLength ? undefined : value !== '' ? value : options.mayBeEmpty ? null : undefined,
});

const slug: Column = {
  values: 'lowercase letters, digits and single hyphens',
  schema: Type.String({ description: 'Identifies the crop; the value of `openfarm_slug` of its plants.' }),
  parse: (value) => (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) && value.length <= maxNameLength ? value : undefined),
};

function parseInteger(value: string, minimum: number, maximum: number): number | undefined {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  return number >= minimum && number <= maximum ? number : undefined;
}

const millimeters = (minimum: number, maximum: number, description: string): Column => ({
  values: `a whole number of millimeters from ${minimum} to ${maximum}`,
  schema: Type.Integer({ minimum, maximum, description }),
  parse: (value) => parseInteger(value, minimum, maximum),
});

const days = (maximum: number, description: string): Column => ({
  values: `two whole numbers of days from 1 to ${maximum}, the smaller one first (\`7-14\`)`,
  schema: Type.Object(
    { min: Type.Integer({ minimum: 1, maximum }), max: Type.Integer({ minimum: 1, maximum }) },
    { description },
  ),
  parse(value) {
    const [first = '', second = '', ...rest] = value.split('-');
    const [min, max] = [parseInteger(first, 1, maximum), parseInteger(second, 1, maximum)];
    return min === undefined || max === undefined || min > max || rest.length > 0 ? undefined : { min, max };
  },
});

const suns = ['full', 'partial', 'shade'] as const;

const sun: Column = {
  values: '`full`, `partial` or `shade`',
  schema: Type.OneOf(suns, { description: 'The light that it needs.' }),
  parse: (value) => suns.find((each) => each === value),
};

const months = (description: string): Column =>
  text(`${description} Months of the northern hemisphere; null: it is not grown there.`, { mayBeEmpty: true });

/** THE list of columns of a file of crops, in order. A name with a dot is a field of a nested object. */
export const cropColumns = {
  slug,
  'names.en': text('English.'),
  'names.fr': text('French.'),
  'names.de': text('German.'),
  family: text('The botanical family.'),
  spread: millimeters(10, 10_000, 'The diameter of a grown plant in mm.'),
  height: millimeters(10, 20_000, 'The height of a grown plant in mm.'),
  plant_spacing: millimeters(5, 10_000, 'The distance of plants in a row in mm.'),
  row_spacing: millimeters(20, 10_000, 'The distance of rows in mm.'),
  sowing_depth: millimeters(
    0,
    500,
    'The depth of the seed, or of the bulb, tuber, clove or root that is planted, in mm.',
  ),
  days_to_germinate: days(400, 'From sowing to the first shoots.'),
  days_to_harvest: days(3000, 'From sowing or planting to the first harvest, or to the bloom of a flower.'),
  sun,
  'sowing.cool': months('When to sow where frosts last into May or June.'),
  'sowing.temperate': months('When to sow where frosts last into April or May.'),
  'sowing.warm': months('When to sow where there is little or no frost.'),
} as const satisfies Readonly<Record<string, Column>>;

interface DayRange {
  readonly min: number;
  readonly max: number;
}

/** A garden plant of the catalog. Lengths in mm. */
export interface Crop {
  readonly slug: string;
  readonly names: { readonly en: string; readonly fr: string; readonly de: string };
  readonly family: string;
  readonly spread: number;
  readonly height: number;
  readonly plant_spacing: number;
  readonly row_spacing: number;
  readonly sowing_depth: number;
  readonly days_to_germinate: DayRange;
  readonly days_to_harvest: DayRange;
  readonly sun: (typeof suns)[number];
  readonly sowing: { readonly cool: string | null; readonly temperate: string | null; readonly warm: string | null };
}

/** Nests values by the dots in the names of their columns. */
export function nested<T>(
  values: readonly (readonly [column: string, value: T])[],
  wrap: (values: Record<string, T>) => T,
) {
  const result: Record<string, T> = {};
  const groups: Record<string, Record<string, T>> = {};
  for (const [column, value] of values) {
    const [name = column, field] = column.split('.');
    if (field === undefined) result[name] = value;
    else {
      groups[name] = { ...groups[name], [field]: value };
      result[name] = wrap(groups[name]);
    }
  }
  return result;
}

/** An example of the documentation. */
const example: Crop = {
  slug: 'beet',
  names: { en: 'Beet', fr: 'Betterave', de: 'Rote Bete' },
  family: 'Amaranthaceae',
  spread: 200,
  height: 350,
  plant_spacing: 100,
  row_spacing: 300,
  sowing_depth: 20,
  days_to_germinate: { min: 6, max: 14 },
  days_to_harvest: { min: 60, max: 100 },
  sun: 'full',
  sowing: { cool: 'May to June', temperate: 'April to July', warm: 'September to April' },
};

const schemas = Object.entries(cropColumns).map(([name, { schema }]) => [name, schema] as const);

/** JSON Schema of a {@link Crop}. */
export const cropSchema = Type.Object(
  nested<JsonSchema>(schemas, (group) => Type.Object(group)),
  { $id: 'Crop', description: 'A garden plant. Lengths in mm.', examples: [example] },
);
