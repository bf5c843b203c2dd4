import type { CropCatalog } from './crop-catalog.ts';
import type { Crop } from './crop-columns.ts';

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

/** Words shorter than this are found exactly: with a typo they would match nearly everything. */
const minTypoLength = 4;

/** Whether a name or its beginning equals the query except for one typo, from the name's beginning or a word's beginning. */
function isNear(query: string, name: string): boolean {
  if (query.length < minTypoLength) return false;
  const starts = [0, ...[...name.matchAll(/ /g)].map(({ index }) => index + 1)];
  return starts.some((start) =>
    [-1, 0, 1].some((more) => differByOne(query, name.slice(start, start + query.length + more))),
  );
}

/** Returns the rank of a match, 0 best; null: the name does not match. */
function rankOf(query: string, name: string): number | null {
  if (name === query) return 0;
  // The more of the name was typed, the better.
  if (name.startsWith(query)) return query === '' ? 1 : 2 - query.length / name.length;
  if (name.includes(` ${query}`)) return 2;
  if (name.includes(query)) return 3;
  if (query.length >= minTypoLength && differByOne(query, name)) return 4;
  return isNear(query, name) ? 5 : null;
}

/** Finds crops by their names in all languages and their slugs, tolerant of accents and one typo, best match first. */
export class CropSearch {
  readonly #entries: readonly { readonly crop: Crop; readonly names: readonly string[] }[];

  constructor(catalog: CropCatalog) {
    this.#entries = [...catalog.values()].map((crop) => ({
      crop,
      names: [...Object.values(crop.names), crop.slug].map(normalized),
    }));
  }

  /** Returns all crops for an empty query, and none for one without a letter or digit. */
  find(search: string, limit: number): Crop[] {
    const query = normalized(search);
    if (query === '' && search.trim() !== '') return [];
    const ranked = this.#entries.flatMap(({ crop, names }) => {
      const ranks = names.map((name) => rankOf(query, name)).filter((rank) => rank !== null);
      return ranks.length > 0 ? [{ crop, rank: Math.min(...ranks) }] : [];
    });
    // The sort is stable: crops of one rank stay in the order of the catalog.
    return ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, limit)
      .map(({ crop }) => crop);
  }
}
