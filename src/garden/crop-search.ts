import type { CropCatalog } from './crop-catalog.ts';
import { loadCropCatalog } from './crop-catalog.ts';
import type { Crop } from './crop-columns.ts';
import { maxNameLength } from './crop-columns.ts';

/** Lowercase letters and digits without accents; every other character is a space. */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Returns a word without the endings of plurals in English, French and German, which words that are no plurals may lose, too. */
function stemOf(word: string): string {
  let stem = word;
  for (;;) {
    const shorter = stem.replace(/ies$/, 'y').replace(/(?:(?<=[lr])n|en|es|e|s|x)$/, '');
    if (shorter === stem || shorter.length < 3) return stem;
    stem = shorter;
  }
}

/** Whether one insertion, deletion, replacement or exchange of neighbors makes one text the other. */
export function differByOne(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = (text: string, from: number): string => text.slice(start + from);
  if (long.length > short.length) return rest(short, 0) === rest(long, 1);
  if (rest(short, 1) === rest(long, 1)) return true;
  return short[start] === long[start + 1] && short[start + 1] === long[start] && rest(short, 2) === rest(long, 2);
}

/** A name, or the words of a search, as they are compared. */
interface Words {
  readonly text: string;
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** All stems, as in a compound. */
  readonly joined: string;
}

function wordsOf(name: string): Words {
  const text = normalized(name);
  const words = text.split(' ');
  const stems = words.map(stemOf);
  return { text, words, stems, joined: stems.join('') };
}

/** Letters that a search needs to be found as a whole word (more than articles have), as the end of a compound, in a name with a typo, and as the beginning of one: with fewer they would match nearly everything. */
const minLength = { word: 3, end: 4, typo: 5, typoInBeginning: 6 };

/** How much of a name was typed, from 0 to 1. */
const shareOf = (query: Words, name: Words): number => query.text.length / Math.max(name.text.length, 1);

/** How well a whole name or synonym matches, 0 best; null: not. */
function wholeRankOf(query: Words, name: Words): number | null {
  if (name.text === query.text) return 0;
  return name.joined === query.joined ? 1 : null;
}

/** How well a name matches; null: not without a typo. */
function rankOf(query: Words, name: Words): number | null {
  const whole = wholeRankOf(query, name);
  if (whole !== null) return whole;
  const areWords = query.joined.length >= minLength.word && query.stems.every((stem) => name.stems.includes(stem));
  if (areWords) return 3 - shareOf(query, name);
  if (name.text.startsWith(query.text)) return 4 - shareOf(query, name);
  if (name.text.includes(` ${query.text}`)) return 4;
  // Compounds end in the name of their kind.
  const isEnd = query.text.length >= minLength.end && name.words.some((word) => word.endsWith(query.text));
  return isEnd ? 6 : null;
}

/** How well a synonym matches: as a whole or from its beginning. The other words of one may be anything: "Earth apple". */
const synonymRankOf = (query: Words, name: Words): number | null =>
  wholeRankOf(query, name) ?? (name.text.startsWith(query.text) ? 5 - shareOf(query, name) : null);

/** Whether one typo, which is not in the first letter, makes the difference. */
const isNear = ({ text }: Words, other: string): boolean =>
  text.length >= minLength.typo && text[0] === other[0] && differByOne(text, other);

/** How well a whole name or synonym matches with one typo; null: not at all. */
const wholeTypoRankOf = (query: Words, name: Words): number | null => (isNear(query, name.text) ? 0 : null);

/** How well a name matches with one typo; null: not at all. */
function typoRankOf(query: Words, name: Words): number | null {
  const { text } = query;
  if (isNear(query, name.text)) return 0;
  if (name.words.some((word) => isNear(query, word))) return 1;
  const lengths = text.length < minLength.typoInBeginning ? [] : [-1, 0, 1].map((more) => text.length + more);
  return lengths.some((length) => isNear(query, name.text.slice(0, length))) ? 2 : null;
}

interface Entry {
  readonly crop: Crop;
  readonly names: readonly Words[];
  readonly synonyms: readonly Words[];
}

/** Returns the entries with a rank, the lowest first; those of one rank stay in the order of the catalog. */
function ranked(entries: readonly Entry[], rank: (entry: Entry) => readonly (number | null)[]): Crop[] {
  return entries
    .flatMap((entry) => {
      const ranks = rank(entry).filter((each) => each !== null);
      return ranks.length > 0 ? [{ crop: entry.crop, rank: Math.min(...ranks) }] : [];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ crop }) => crop);
}

/** Finds crops by their names and synonyms in all languages and their slugs, whatever the accents, best match first; with one typo where nothing else is found. */
export class CropSearch {
  readonly #catalog: CropCatalog;
  readonly #entries: readonly Entry[];

  constructor(catalog: CropCatalog) {
    this.#catalog = catalog;
    this.#entries = [...catalog.values()].map((crop) => ({
      crop,
      names: [...Object.values(crop.names), crop.slug].map(wordsOf),
      synonyms: Object.values(crop.synonyms).flat().map(wordsOf),
    }));
  }

  /** Returns the crop with a slug; undefined: there is none. */
  get(slug: string): Crop | undefined {
    return this.#catalog.get(slug);
  }

  /** Returns the crop whose name, synonym or slug this is; undefined: there is none. */
  named(name: string): Crop | undefined {
    if (name.length > maxNameLength) return undefined;
    const query = wordsOf(name);
    if (query.text === '') return undefined;
    return ranked(this.#entries, ({ names, synonyms }) =>
      [...names, ...synonyms].map((each) => wholeRankOf(query, each)),
    )[0];
  }

  /** Returns all crops for an empty query, and none for one without a letter or digit. */
  find(search: string, limit: number): Crop[] {
    const query = wordsOf(search);
    if (query.text === '' && search.trim() !== '') return [];
    const certain = ranked(this.#entries, ({ names, synonyms }) => [
      ...names.map((name) => rankOf(query, name)),
      ...synonyms.map((name) => synonymRankOf(query, name)),
    ]);
    const found =
      certain.length > 0
        ? certain
        : ranked(this.#entries, ({ names, synonyms }) => [
            ...names.map((name) => typoRankOf(query, name)),
            ...synonyms.map((name) => wholeTypoRankOf(query, name)),
          ]);
    return found.slice(0, limit);
  }
}

/** Loads the crops with those of an operator's file. Throws InvalidCropsFile. */
export const loadCrops = async (file: string | null): Promise<CropSearch> =>
  new CropSearch(await loadCropCatalog(file));
