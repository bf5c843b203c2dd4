import type { Message } from './message.ts';

/** The entries of a catalog of messages. */
type Catalog = Readonly<Record<string, Message | ((...values: never[]) => Message)>>;

/** A message as it is found in texts. */
interface Known {
  readonly make: (...values: unknown[]) => Message;
  /** Its values in the order in which the text has them, and whether each is a name in quotation marks. */
  readonly values: readonly { readonly place: number; readonly isName: boolean }[];
  readonly pattern: RegExp;
  readonly size: number;
}

/** Longer texts are no messages (a script's output, for example); comparing them with all messages takes long. */
const maxLength = 500;

/** More values than a message has. */
const markers = Array.from({ length: 8 }, (_, index) => `⟦${index}⟧`);
const marker = /⟦(\d)⟧/;

function knownIn(catalogs: readonly Catalog[]): Known[] {
  const known = catalogs.flatMap(Object.values<Catalog[string]>).map((entry) => {
    const make = typeof entry === 'function' ? (entry as (...values: unknown[]) => Message) : () => entry;
    const parts = String(make(...markers)).split(marker);
    const source = parts
      .map((part, index) => (index % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : '(.*?)'))
      .join('');
    const values = parts.flatMap((part, index) =>
      index % 2 === 1 ? [{ place: Number(part), isName: parts[index - 1]?.endsWith('"') === true }] : [],
    );
    return { make, values, pattern: new RegExp(`^${source}$`, 's'), size: source.length };
  });
  // The message with the most words is the most specific.
  return known.sort((a, b) => b.size - a.size);
}

/**
 * Returns a function that reads texts which were stored in the API's English: as messages of some catalogs, also within their values, or
 * null. `words`: catalogs of messages that are only in values. All of them may do nothing with their values but contain them.
 */
export function storedMessages(
  catalogs: readonly Catalog[],
  words: readonly Catalog[] = [],
): (text: string) => Message | null {
  const whole = knownIn(catalogs);
  const inValues = knownIn([...catalogs, ...words]);
  const read = (text: string, known: readonly Known[]): Message | null => {
    for (const { make, values, pattern } of known) {
      const match = pattern.exec(text);
      if (match === null) continue;
      const found: unknown[] = [];
      for (const [index, { place, isName }] of values.entries()) {
        const value = match[index + 1] ?? '';
        found[place] = (isName ? null : read(value, inValues)) ?? value;
      }
      return make(...found);
    }
    return null;
  };
  return (text) => (text.length > maxLength ? null : read(text, whole));
}
