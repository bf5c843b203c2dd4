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
  ['a plural', 'potatoes', 'potato'],
  ['a German plural', 'Kartoffeln', 'potato'],
  ['a plural of two words', 'haricots verts', 'green-bean'],
  ['two words for a compound', 'water melon', 'watermelon'],
  ['a compound for two words', 'pakchoi', 'pak-choi'],
  ['an apostrophe left out', 'lambs lettuce', 'corn-salad'],
])('finds %s', (_what, words, slug) => {
  expect(found(words, 3)).toContain(slug);
});

it.each([
  ['beet', 'Beetroot, Rote Rübe, Rande, Randen, Rahne, Carotte rouge, Remolacha, Barbabietola, Rode biet, Beterraba'],
  ['sweet-corn', 'Maize, Corn, Sweetcorn, Kukuruz, Blé d’Inde, Elote, Choclo, Granoturco, Milho, Maïs'],
  ['spring-onion', 'Scallion, Scallions, Green onion, Frühlingszwiebel, Jungzwiebel, Cébette, Cebolleta, Bosui'],
  ['bell-pepper', 'Capsicum, Sweet pepper, Pepper, Peperoni, Pimiento, Peperone, Pimentão'],
  ['broad-bean', 'Fava bean, Fava, Faba bean, Saubohne, Ackerbohne, Puffbohne, Gourgane, Haba, Tuinboon'],
  ['carrot', 'Möhre, Möhren, Mohrrübe, Rüebli, Gelbe Rübe, Zanahoria, Carota, Wortel, Cenoura'],
  ['leek', 'Porree, Puerro, Porro, Prei, Alho-poró'],
  ['green-bean', 'Haricot vert, French bean, String beans, Fisolen, Grüne Bohnen, Judía verde, Ejote, Fagiolini'],
  ['zucchini', 'Courgette, Courgettes, Zucchetti, Calabacín, Zucchina, Abobrinha'],
  ['eggplant', 'Aubergine, Brinjal, Melanzani, Berenjena, Melanzana, Berinjela'],
  ['arugula', 'Rocket, Rucola, Rauke, Rúcula'],
  ['rutabaga', 'Swede, Kohlrübe, Wruke, Chou-navet, Koolraap'],
  ['chard', 'Silverbeet, Silver beet, Swiss chard, Krautstiel, Blette, Acelga, Bietola, Snijbiet'],
  ['corn-salad', 'Lamb’s lettuce, Vogerlsalat, Nüsslisalat, Rapunzel, Doucette, Canónigo, Veldsla'],
  ['potato', 'Erdapfel, Erdäpfel, Patata, Papa, Aardappel'],
  ['tomato', 'Paradeiser, Pomodoro, Jitomate, Tomaat'],
  ['cauliflower', 'Karfiol, Coliflor, Cavolfiore, Bloemkool'],
  ['okra', 'Lady’s finger, ladies fingers, Bhindi, Quiabo'],
  ['snow-pea', 'Mangetout, Sugar snap, Kefen, Zuckerschote, Pois gourmand'],
  ['horseradish', 'Kren, Mierikswortel'],
  ['chili-pepper', 'Chilli, Chile, Peperoncino, Guindilla, Piri-piri'],
  ['cilantro', 'Coriander, Cilantro, Dhania, Coentro'],
])('finds %s first by its everyday names', (slug, names) => {
  expect(names.split(', ').filter((name) => found(name, 1)[0] !== slug)).toEqual([]);
});

it('lists the best match first', () => {
  // Equal in German; a word of a name; the end of a compound.
  expect(found('tomate', 3)).toEqual(['tomato', 'cherry-tomato', 'tomatillo']);
  // The shortest name that begins so, here in French and German.
  expect(found('tom', 3)).toEqual(['tomato', 'tomatillo', 'cherry-tomato']);
  // A whole name or synonym precedes words of names, and those precede beginnings.
  expect(found('corn')).toEqual(['sweet-corn', 'corn-salad', 'bucks-horn-plantain', 'gherkin', 'cowpea']);
  expect(found('pea', 1)).toEqual(['pea']);
  expect(found('pea', 20).indexOf('snow-pea')).toBeLessThan(found('pea', 20).indexOf('peanut'));
  expect(found('onion', 2)).toEqual(['onion', 'red-onion']);
  expect(found('celery', 2)).toEqual(['celery', 'celeriac']);
});

it.each(['apple', 'Apfel', 'Birne', 'pear', 'banana', 'orange', 'grapes', 'Reis', 'tractor', 'blueberry'])(
  'finds nothing rather than a guess: %s',
  (words) => expect(found(words)).toEqual([]),
);

it('finds nothing for two typos and for short words with a typo', () => {
  expect(found('tammatu')).toEqual([]);
  expect(found('lek')).toEqual([]);
  expect(found('xyz')).toEqual([]);
  expect(found('!?')).toEqual([]);
});

it('reads words of any length', () => {
  const long = `ba${'s'.repeat(15_000)}`;
  expect(found(long)).toEqual([]);
  expect(search.named(long)).toBeUndefined();
  expect(search.named('Tomatoes')?.slug).toBe('tomato');
  // No name is as long.
  expect(search.named(`tomato${'s'.repeat(80)}`)).toBeUndefined();
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
