import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';

/** The parser for the text of one column of a file of crops. */
export interface CropColumn<T = unknown> {
  /** The valid values, for errors: "a whole number …". */
  readonly values: string;
  readonly schema: JsonSchema;
  /** A file may lack the column, which counts as empty. */
  readonly isOptional?: true;
  /** Returns undefined for invalid text. */
  parse(text: string): T | undefined;
}

/** Characters of a name. */
export const maxNameLength = 80;

/** Text without a line break. */
const plainText = (description: string): CropColumn<string> => ({
  values: `text of at most ${maxNameLength} characters`,
  schema: Type.String({ description }),
  parse: (value) => (value.length > maxNameLength || value === '' ? undefined : value),
});

/** The same; empty text is null. */
const optionalText = (description: string): CropColumn<string | null> => {
  const { values, schema, parse } = plainText(description);
  return { values, schema: Type.Nullable(schema), parse: (value) => (value === '' ? null : parse(value)) };
};

const maxSynonyms = 30;

/** Names with commas in between. */
const synonyms = (language: string): CropColumn<readonly string[]> => ({
  values: `at most ${maxSynonyms} names of at most ${maxNameLength} characters with commas in between`,
  schema: Type.Array(Type.String(), { description: `Other names in ${language}.` }),
  isOptional: true,
  parse(value) {
    const names = value === '' ? [] : value.split(',').map((name) => name.trim());
    const isValid = names.length <= maxSynonyms && names.every((name) => name !== '' && name.length <= maxNameLength);
    return isValid ? names : undefined;
  },
});

const isSlug = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= maxNameLength;

const slug: CropColumn<string> = {
  values: 'lowercase letters, digits and single hyphens',
  schema: Type.String({ description: 'Identifies the crop; the value of `openfarm_slug` of its plants.' }),
  parse: (value) => (isSlug(value) ? value : undefined),
};

const maxNeighbors = 100;

/** Slugs with commas in between. */
const neighbors = (description: string): CropColumn<readonly string[]> => ({
  values: `at most ${maxNeighbors} slugs with commas in between`,
  schema: Type.Array(Type.String(), { description }),
  isOptional: true,
  parse(value) {
    const slugs = value === '' ? [] : value.split(',').map((each) => each.trim());
    return slugs.length <= maxNeighbors && slugs.every(isSlug) ? slugs : undefined;
  },
});

function parseInteger(value: string, minimum: number, maximum: number): number | undefined {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  return number >= minimum && number <= maximum ? number : undefined;
}

const millimeters = (minimum: number, maximum: number, description: string): CropColumn<number> => ({
  values: `a whole number of millimeters from ${minimum} to ${maximum}`,
  schema: Type.Integer({ minimum, maximum, description }),
  parse: (value) => parseInteger(value, minimum, maximum),
});

interface DayRange {
  readonly min: number;
  readonly max: number;
}

const days = (maximum: number, description: string): CropColumn<DayRange> => ({
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

const maxYield = 100_000;
/** What a yield is for, with its name in files. */
const yieldUnits = { m: 'meter', plant: 'plant' } as const;

/** Grams for a plant, or a meter of its row. */
interface CropYield {
  readonly min: number;
  readonly max: number;
  readonly per: (typeof yieldUnits)[keyof typeof yieldUnits];
}

const harvest: CropColumn<CropYield | null> = {
  values: `empty, or grams up to ${maxYield} for a plant or a meter of row (\`340-1360 g/plant\`, \`1490 g/m\`)`,
  schema: Type.Nullable(
    Type.Object(
      {
        min: Type.Integer({ minimum: 1, maximum: maxYield }),
        max: Type.Integer({ minimum: 1, maximum: maxYield }),
        per: Type.OneOf(Object.values(yieldUnits)),
      },
      { description: 'What is harvested in a season, in grams for a plant or a meter of its row; null: not known.' },
    ),
  ),
  isOptional: true,
  parse(value) {
    if (value === '') return null;
    const [, first = '', last = first, unit] = /^(\d+)(?:-(\d+))? g\/(m|plant)$/.exec(value) ?? [];
    const [min, max] = [parseInteger(first, 1, maxYield), parseInteger(last, 1, maxYield)];
    if (min === undefined || max === undefined || min > max) return undefined;
    return { min, max, per: unit === 'm' ? yieldUnits.m : yieldUnits.plant };
  },
};

const suns = ['full', 'partial', 'shade'] as const;

const sun: CropColumn<(typeof suns)[number]> = {
  values: '`full`, `partial` or `shade`',
  schema: Type.OneOf(suns, { description: 'The light that it needs.' }),
  parse: (value) => suns.find((each) => each === value),
};

const months = (description: string): CropColumn<string | null> =>
  optionalText(`${description} Months of the northern hemisphere; null: it is not grown there.`);

/** THE list of columns of a file of crops, in order. A name with a dot is a field of a nested object. */
export const cropColumns = {
  slug,
  'names.en': plainText('English.'),
  'names.fr': plainText('French.'),
  'names.de': plainText('German.'),
  'synonyms.en': synonyms('English'),
  'synonyms.fr': synonyms('French'),
  'synonyms.de': synonyms('German'),
  'synonyms.es': synonyms('Spanish'),
  'synonyms.it': synonyms('Italian'),
  'synonyms.nl': synonyms('Dutch'),
  'synonyms.pt': synonyms('Portuguese'),
  family: plainText('The botanical family.'),
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
  yield: harvest,
  'neighbors.good': neighbors('Crops that are said to do well beside it, by slug.'),
  'neighbors.bad': neighbors('Crops that are said to do badly beside it, or it beside them, by slug.'),
} as const satisfies Readonly<Record<string, CropColumn>>;

/** Creates a crop from the values of its columns, which `cell` returns. */
export const toCrop = (cell: <T>(column: CropColumn<T>) => T) => ({
  slug: cell(cropColumns.slug),
  names: {
    en: cell(cropColumns['names.en']),
    fr: cell(cropColumns['names.fr']),
    de: cell(cropColumns['names.de']),
  },
  synonyms: {
    en: cell(cropColumns['synonyms.en']),
    fr: cell(cropColumns['synonyms.fr']),
    de: cell(cropColumns['synonyms.de']),
    es: cell(cropColumns['synonyms.es']),
    it: cell(cropColumns['synonyms.it']),
    nl: cell(cropColumns['synonyms.nl']),
    pt: cell(cropColumns['synonyms.pt']),
  },
  family: cell(cropColumns.family),
  spread: cell(cropColumns.spread),
  height: cell(cropColumns.height),
  plant_spacing: cell(cropColumns.plant_spacing),
  row_spacing: cell(cropColumns.row_spacing),
  sowing_depth: cell(cropColumns.sowing_depth),
  days_to_germinate: cell(cropColumns.days_to_germinate),
  days_to_harvest: cell(cropColumns.days_to_harvest),
  sun: cell(cropColumns.sun),
  sowing: {
    cool: cell(cropColumns['sowing.cool']),
    temperate: cell(cropColumns['sowing.temperate']),
    warm: cell(cropColumns['sowing.warm']),
  },
  yield: cell(cropColumns.yield),
  neighbors: { good: cell(cropColumns['neighbors.good']), bad: cell(cropColumns['neighbors.bad']) },
});

/** A garden plant of the catalog. Lengths in mm. */
export type Crop = Readonly<ReturnType<typeof toCrop>>;

/** An example of the documentation. */
const example: Crop = {
  slug: 'beet',
  names: { en: 'Beet', fr: 'Betterave', de: 'Rote Bete' },
  synonyms: {
    en: ['Beetroot', 'Beets', 'Garden beet', 'Red beet', 'Table beet'],
    fr: ['Betterave rouge', 'Betterave potagère', 'Carotte rouge'],
    de: ['Rote Rübe', 'Rande', 'Randen', 'Rahne', 'Rote Beete'],
    es: ['Remolacha', 'Betabel', 'Betarraga'],
    it: ['Barbabietola', 'Rapa rossa'],
    nl: ['Rode biet', 'Biet', 'Kroot'],
    pt: ['Beterraba'],
  },
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
  yield: { min: 1490, max: 1490, per: 'meter' },
  neighbors: {
    good: [
      'broccoli',
      'brussels-sprouts',
      'cabbage',
      'cauliflower',
      'kale',
      'kohlrabi',
      'onion',
      'pointed-cabbage',
      'radish',
      'red-cabbage',
      'red-onion',
      'romanesco',
      'savoy-cabbage',
      'tuscan-kale',
    ],
    bad: ['pole-bean', 'runner-bean'],
  },
};

/** Nests schemas by the dots in the names of their columns. */
function nested(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const result: Record<string, JsonSchema> = {};
  const groups: Record<string, Record<string, JsonSchema>> = {};
  for (const [column, schema] of Object.entries(schemas)) {
    const [name = column, field] = column.split('.');
    if (field !== undefined) groups[name] = { ...groups[name], [field]: schema };
    result[name] = field === undefined ? schema : Type.Object(groups[name] ?? {});
  }
  return result;
}

const schemas = Object.fromEntries(Object.entries(cropColumns).map(([name, { schema }]) => [name, schema]));

/** JSON Schema of a {@link Crop}. */
export const cropSchema = Type.Object(nested(schemas), {
  $id: 'Crop',
  description: 'A garden plant. Lengths in mm.',
  examples: [example],
});
