import { beforeAll, expect, it } from 'vitest';
import { loadCropCatalog } from './crop-catalog.ts';
import { CropSearch, differByOne } from './crop-search.ts';

let search: CropSearch;
beforeAll(async () => {
  search = new CropSearch(await loadCropCatalog(null));
});

const found = (words: string, limit = 5): string[] => search.find(words, limit).map(({ slug }) => slug);

it.each([
  ['an English name', 'Carrot', 'carrot'],
  ['a French name', 'Carotte', 'carrot'],
  ['a German name', 'Karotte', 'carrot'],
  ['a slug', 'jerusalem-artichoke', 'jerusalem-artichoke'],
  ['a name without its accents', 'celeri rave', 'celeriac'],
  ['a name with accents that it does not have', 'tomàte', 'tomato'],
  ['a name without its umlaut', 'gartenkurbis', 'pumpkin'],
  ['ß as ss', 'WEISSKOHL', 'cabbage'],
  ['œ as oe', "oeillet d'inde", 'french-marigold'],
  ['a missing letter', 'brocoli', 'broccoli'],
  ['a superfluous letter', 'spinnach', 'spinach'],
  ['another letter', 'tomatu', 'tomato'],
  ['letters exchanged', 'zuchcini', 'zucchini'],
  ['the beginning of a name with a typo', 'aspparag', 'asparagus'],
  ['a second word with a typo', 'artichhoke', 'artichoke'],
])('finds %s', (_what, words, slug) => {
  expect(found(words, 3)).toContain(slug);
});

it('lists the best match first', () => {
  // Equal in German; the beginning of a name; a word of a name.
  expect(found('tomate', 2)).toEqual(['tomato', 'cherry-tomato']);
  // The shortest name that begins so, here in French and German.
  expect(found('tom', 3)).toEqual(['tomato', 'tomatillo', 'cherry-tomato']);
  // A whole name, here the slug, precedes words of names, and words precede names with a typo.
  expect(found('pea', 2)).toEqual(['pea', 'peanut']);
  expect(found('onion', 2)).toEqual(['onion', 'red-onion']);
  expect(found('celery', 2)).toEqual(['celery', 'celeriac']);
});

it('finds nothing for two typos and for short words with a typo', () => {
  expect(found('tammatu')).toEqual([]);
  expect(found('lek')).toEqual([]);
  expect(found('xyz')).toEqual([]);
  expect(found('!?')).toEqual([]);
});

it('lists all in the order of English names without words', () => {
  const all = search.find('', 1000);
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(all.slice(0, 3).map(({ names }) => names.en)).toEqual(['Alpine strawberry', 'Amaranth', 'Angelica']);
  expect(search.find('', 2)).toEqual(all.slice(0, 2));
});

it.each([
  ['', 'a', true],
  ['beet', 'beet', true],
  ['beet', 'bet', true],
  ['beet', 'beets', true],
  ['beet', 'heet', true],
  ['beet', 'ebet', true],
  ['beet', 'bete', true],
  ['beet', 'teeb', false],
  ['beet', 'be', false],
  ['beet', 'btees', false],
  ['ab', 'ba', true],
])('compares %j with %j', (one, other, near) => {
  expect(differByOne(one, other)).toBe(near);
  expect(differByOne(other, one)).toBe(near);
});
