import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCropCatalog, parseCrops } from './crop-catalog.ts';
import type { Crop } from './crop-columns.ts';

const month = '(January|February|March|April|May|June|July|August|September|October|November|December)';
const months = new RegExp(`^(indoors )?${month}( to ${month})?(, (indoors )?${month}( to ${month})?)*$`);

/** Genera and orders differ more than these between sources. */
const families =
  'Aizoaceae Amaranthaceae Amaryllidaceae Apiaceae Asparagaceae Asteraceae Basellaceae Boraginaceae Brassicaceae Capparaceae Caprifoliaceae Convolvulaceae Cucurbitaceae Fabaceae Iridaceae Lamiaceae Linaceae Malvaceae Montiaceae Oxalidaceae Papaveraceae Plantaginaceae Poaceae Polygonaceae Portulacaceae Rosaceae Solanaceae Tropaeolaceae Violaceae Zingiberaceae'.split(
    ' ',
  );

const head =
  'slug\tnames.en\tnames.fr\tnames.de\tfamily\tspread\theight\tplant_spacing\trow_spacing\tsowing_depth\tdays_to_germinate\tdays_to_harvest\tsun\tsowing.cool\tsowing.temperate\tsowing.warm';
const beet =
  'beet\tMy beet\tBetterave\tRote Bete\tAmaranthaceae\t200\t350\t100\t300\t20\t6-14\t60-100\tfull\t\tApril to July\tMay';
const withValue = (column: string, value: string): string => {
  const values = beet.split('\t');
  values[head.split('\t').indexOf(column)] = value;
  return values.join('\t');
};

describe('the crops of the repository', () => {
  let crops: Crop[];
  beforeAll(async () => {
    crops = [...(await loadCropCatalog(null)).values()];
  });

  it('are at least 150, each with names of its own', () => {
    expect(crops.length).toBeGreaterThanOrEqual(150);
    for (const language of ['en', 'fr', 'de'] as const)
      expect(new Set(crops.map(({ names }) => names[language].toLowerCase())).size).toBe(crops.length);
    const file = readFileSync(join(import.meta.dirname, 'crops.tsv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
    expect(file).toEqual(
      [...file].sort((a, b) => (a.split('\t')[0] ?? '').localeCompare(b.split('\t')[0] ?? '', 'en')),
    );
  });

  it('have synonyms, each in a language for one crop', () => {
    for (const language of ['en', 'fr', 'de', 'es', 'it', 'nl', 'pt'] as const) {
      const all = crops.flatMap(({ names, synonyms }) => [
        ...(language === 'en' || language === 'fr' || language === 'de' ? [names[language]] : []),
        ...synonyms[language],
      ]);
      const twice = all.filter(
        (name, index) => all.findIndex((each) => each.toLowerCase() === name.toLowerCase()) !== index,
      );
      expect([language, all.length >= crops.length, twice]).toEqual([language, true, []]);
    }
    expect(crops.find(({ slug }) => slug === 'leek')?.synonyms).toEqual({
      en: ['Leeks', 'Garden leek'],
      fr: ["Poireau d'hiver", 'Porreau'],
      de: ['Porree', 'Breitlauch', 'Winterlauch', 'Gemüselauch'],
      es: ['Puerro'],
      it: ['Porro'],
      nl: ['Prei'],
      pt: ['Alho-francês', 'Alho-poró'],
    });
  });

  it('have neighbors of the catalog, on both sides', () => {
    const bySlug = new Map(crops.map((crop) => [crop.slug, crop]));
    const wrong = crops.flatMap(({ slug, neighbors }) =>
      (['good', 'bad'] as const).flatMap((kind) =>
        neighbors[kind].filter((other) => {
          const theirs = bySlug.get(other)?.neighbors;
          return (
            other === slug || !theirs?.[kind].includes(slug) || theirs[kind === 'good' ? 'bad' : 'good'].includes(slug)
          );
        }),
      ),
    );
    expect(wrong).toEqual([]);
    expect(bySlug.get('beet')).toMatchObject({
      yield: { min: 1490, max: 1490, per: 'meter' },
      neighbors: { good: expect.arrayContaining(['onion']), bad: ['pole-bean', 'runner-bean'] },
    });
    expect(bySlug.get('cabbage')?.yield).toEqual({ min: 340, max: 1360, per: 'plant' });
    expect(bySlug.get('fennel')).toMatchObject({ yield: null, neighbors: { good: [], bad: ['cilantro'] } });
  });

  it('make sense, row by row', () => {
    const wrong = crops.flatMap((crop) => {
      const { slug, spread, height, plant_spacing, row_spacing, sowing_depth, sowing } = crop;
      const { days_to_germinate: shoots, days_to_harvest: harvest, names } = crop;
      const rules: Record<string, boolean> = {
        family: families.includes(crop.family),
        names: Object.values(names).every((name) => /^\p{Lu}[\p{L}'’ -]+$/u.test(name)),
        spread: spread >= 50 && spread <= 3000,
        height: height >= 100 && height <= 3500,
        // Plants touch when grown, and seldom overlap by more than a few times.
        plant_spacing: plant_spacing >= 10 && plant_spacing <= 1.5 * spread && spread <= 5 * plant_spacing,
        row_spacing: row_spacing >= plant_spacing && row_spacing <= 10 * plant_spacing,
        // Nothing is buried deeper than half of its height, and only bulbs and tubers deeper than 6 cm.
        sowing_depth: sowing_depth <= 120 && sowing_depth <= Math.max(1, height) * 0.6,
        days_to_germinate: shoots.min >= 2 && shoots.max <= 240 && shoots.max <= 6 * shoots.min,
        days_to_harvest: harvest.min > shoots.min && harvest.max > shoots.max && harvest.max <= 3 * harvest.min,
        sowing: Object.values(sowing).every((words) => words === null || months.test(words)),
        climates: sowing.temperate !== null,
      };
      return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${slug}: ${rule}`]));
    });
    expect(wrong).toEqual([]);
  });
});

describe("an operator's file", () => {
  const folder = mkdtempSync(join(tmpdir(), 'potager-crops-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('replaces crops and adds others', async () => {
    const file = join(folder, 'crops.tsv');
    // As spreadsheets write it: a byte order mark, CR LF, columns in another order.
    const swapped = (line: string): string => {
      const [first, second, ...rest] = line.split('\t');
      return [second, first, ...rest].join('\t');
    };
    const lines = [head, beet, withValue('slug', 'moon-beet')].map(swapped);
    writeFileSync(file, `\uFEFF${lines.join('\r\n')}\r\n`);
    const [own, all] = [await loadCropCatalog(file), await loadCropCatalog(null)];
    expect(own.size).toBe(all.size + 1);
    expect(own.get('beet')).toEqual({
      slug: 'beet',
      names: { en: 'My beet', fr: 'Betterave', de: 'Rote Bete' },
      family: 'Amaranthaceae',
      spread: 200,
      height: 350,
      plant_spacing: 100,
      row_spacing: 300,
      sowing_depth: 20,
      days_to_germinate: { min: 6, max: 14 },
      days_to_harvest: { min: 60, max: 100 },
      sun: 'full',
      // Its file has none.
      synonyms: all.get('beet')?.synonyms,
      neighbors: all.get('beet')?.neighbors,
      yield: { min: 1490, max: 1490, per: 'meter' },
      sowing: { cool: null, temperate: 'April to July', warm: 'May' },
    });
    expect(own.get('kale')).toEqual(all.get('kale'));
    await expect(loadCropCatalog(join(folder, 'none.tsv'))).rejects.toThrow(/none\.tsv cannot be read \(ENOENT\)/);
  });

  it('is a table as spreadsheets write it', async () => {
    const file = join(folder, 'crops.csv');
    const rows = [`${head}\tsynonyms.en`, `${beet}\tBeetroot, "Red" beet`].map((line) =>
      line.split('\t').map((cell) => `"${cell.replaceAll('"', '""')}"`),
    );
    const written = (delimiter: string) => `${rows.map((cells) => cells.join(delimiter)).join('\r\n')}\r\n`;
    for (const bytes of [Buffer.from(written(',')), Buffer.from(`\uFEFF${written(';')}`, 'utf16le')]) {
      writeFileSync(file, bytes);
      const crop = (await loadCropCatalog(file)).get('beet');
      expect([crop?.names.en, crop?.synonyms.en]).toEqual(['My beet', ['Beetroot', '"Red" beet']]);
    }
    writeFileSync(file, Buffer.from(written(';').replace('My beet', 'R\xfcbe'), 'latin1'));
    await expect(loadCropCatalog(file)).rejects.toThrow(/^The table is neither UTF-8 nor UTF-16\. Save it as UTF-8/);
  });

  it.each([
    ['spread', 'wide', 'a whole number of millimeters from 10 to 10000'],
    ['height', '20001', 'a whole number of millimeters from 10 to 20000'],
    ['sowing_depth', '-1', 'a whole number of millimeters from 0 to 500'],
    ['days_to_germinate', '14-6', 'two whole numbers of days from 1 to 400, the smaller one first (`7-14`)'],
    ['days_to_harvest', '60', 'two whole numbers of days from 1 to 3000, the smaller one first (`7-14`)'],
    ['sun', 'Full', '`full`, `partial` or `shade`'],
    ['slug', 'My beet', 'lowercase letters, digits and single hyphens'],
    ['names.fr', '', 'text of at most 80 characters'],
    ['sowing.warm', 'x'.repeat(81), 'text of at most 80 characters'],
  ])('is refused with the row and the column of a wrong %s', (column, value, values) => {
    const file = [head, beet, withValue('slug', 'other'), withValue(column, value)].join('\n');
    expect(() => parseCrops(file)).toThrow(`row 4, ${column}: must be ${values}, not "${value.slice(0, 80)}"`);
  });

  it('may have columns of synonyms', () => {
    const file = [
      `${head}\tsynonyms.de\tsynonyms.en`,
      `${beet}\tRande, Rahne\t`,
      `${withValue('slug', 'b')}\tRande,,\t`,
    ];
    expect(parseCrops(file.slice(0, 2).join('\n'))[0]?.synonyms).toMatchObject({
      de: ['Rande', 'Rahne'],
      en: [],
      fr: [],
    });
    expect(() => parseCrops(file.join('\n'))).toThrow(
      'row 3, synonyms.de: must be at most 30 names of at most 80 characters with commas in between, not "Rande,,"',
    );
  });

  it('may have a yield and neighbors', () => {
    const names = `${head}\tyield\tneighbors.good\tneighbors.bad`;
    const parse = (values: string) => parseCrops(`${names}\n${beet}\t${values}`)[0];
    expect(parse('900-1200 g/plant\tonion, kohlrabi\t')).toMatchObject({
      yield: { min: 900, max: 1200, per: 'plant' },
      neighbors: { good: ['onion', 'kohlrabi'], bad: [] },
    });
    for (const wrong of ['1200-900 g/plant', '0 g/m', '2 kg/m', '1490'])
      expect(() => parse(`${wrong}\t\t`)).toThrow('row 2, yield: must be empty, or grams up to 100000 for a plant');
    expect(() => parse('\t\tPole bean')).toThrow(
      'row 2, neighbors.bad: must be at most 100 slugs with commas in between, not "Pole bean"',
    );
  });

  it.each([
    ['row 1: the column "sowing.warm" is missing', [head.slice(0, head.lastIndexOf('\t')), beet]],
    ['row 1: "taste" is not a column', [`${head}\ttaste`, `${beet}\tsweet`]],
    ['row 1: "slug" is not a column, or is there twice', [`${head}\tslug`, `${beet}\tbeet`]],
    ['row 2: has 1 values instead of 16', [head, 'beet']],
    ['row 3, slug: "beet" is there already', [head, beet, beet]],
    ['Row 5002: there may be at most 5000 rows.', [head, ...Array.from({ length: 5001 }, () => beet)]],
  ])('is refused: %s', (message, lines) => {
    expect(() => parseCrops(lines.join('\n'))).toThrow(message);
  });
});
