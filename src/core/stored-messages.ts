import type { Message } from './message.ts';

/** The entries of a catalog of messages. */
type Catalog = Readonly<Record<string, Message | ((...values: never[]) => Message)>>;

/** More values than a message has. */
const markers = Array.from({ length: 8 }, (_, index) => `⟦${index}⟧`);
const marker = /⟦(\d)⟧/;

/**
 * Returns a function that reads texts which were stored in the API's English: as messages of a catalog, also those in their values, or
 * null. The sentences of the catalog may do nothing with their values but contain them.
 */
export function storedMessages(catalog: Catalog): (text: string) => Message | null {
  const known = Object.values(catalog).map((entry) => {
    const make = typeof entry === 'function' ? (entry as (...values: unknown[]) => Message) : () => entry;
    const parts = String(make(...markers)).split(marker);
    const source = parts.map((part, index) =>
      index % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : '(.*?)',
    );
    const places = parts.filter((_, index) => index % 2 === 1).map(Number);
    return { make, places, pattern: new RegExp(`^${source.join('')}$`, 's'), size: source.join('').length };
  });
  // The pattern with the most words is the most specific.
  known.sort((a, b) => b.size - a.size);
  const read = (text: string): Message | null => {
    for (const { make, places, pattern } of known) {
      const match = pattern.exec(text);
      if (match === null) continue;
      const values: unknown[] = [];
      for (const [index, place] of places.entries()) {
        const value = match[index + 1] ?? '';
        values[place] = read(value) ?? value;
      }
      return make(...values);
    }
    return null;
  };
  return read;
}
