import { frenchSpaces } from './french-spaces.ts';
import type { Language } from './languages.ts';

/** The reader of a message: a client of the API, whose English stays as clients know it, or a person in a language. */
export type Reader = 'api' | Language;

/** A sentence that is written for its reader where it leaves the server. [ADR 95] */
export class Message {
  readonly #write: (reader: Reader) => string;

  constructor(write: (reader: Reader) => string) {
    this.#write = write;
  }

  in(reader: Reader): string {
    return this.#write(reader);
  }

  /** The API's English, as in logs. */
  toString(): string {
    return this.in('api');
  }
  toJSON(): string {
    return this.in('api');
  }
}

/** A sentence, or a function that makes one of values. */
type Entry = string | ((...values: never[]) => string);

/** Values of a message: texts may be messages themselves. */
type Values<V extends readonly unknown[]> = { [K in keyof V]: Value<V[K]> };
type Value<V> = V extends string ? V | Message : V extends readonly string[] ? readonly (string | Message)[] : V;

type Said<E> = E extends (...values: infer V) => string ? (...values: Values<V>) => Message : Message;

/** Sentences without values, in both languages side by side. */
type Pairs = Readonly<Record<string, readonly [en: string, fr: string]>>;

/** An object with a value for each pair; without pairs, no name is known. */
type NamesOf<P, V> = { readonly [K in keyof P as string extends K ? never : K]: V };

/** `api`: the English of clients, where people get another one. */
interface Texts<T, P> {
  readonly pairs?: P;
  readonly en: T;
  readonly fr: NoInfer<T>;
  readonly api?: Partial<NoInfer<T>> & Partial<NamesOf<P, string>>;
}

/** Stands for the spaces of values, which stay as they are: no text contains it. */
const valueSpace = '\ufdd0';

/** Writes the messages among values. */
function written(value: unknown, reader: Reader): unknown {
  if (Array.isArray(value)) return value.map((each) => written(each, reader));
  const text = value instanceof Message ? value.in(reader) : value;
  return reader === 'fr' && typeof text === 'string' ? text.replaceAll(' ', valueSpace) : text;
}

/** Returns a text of a catalog with the spaces of the language. */
const spaced = (text: string, reader: Reader): string =>
  reader === 'fr' ? frenchSpaces(text).replaceAll(valueSpace, ' ') : text;

/** Returns the messages of a catalog, by their names. One that lacks a French sentence does not compile. */
export function messagesIn<
  T extends Readonly<Record<string, Entry>>,
  const P extends Pairs = Readonly<Record<never, never>>,
>(texts: Texts<T, P>): { readonly [K in keyof T]: Said<T[K]> } & NamesOf<P, Message> {
  const ofPairs = (index: 0 | 1) =>
    Object.fromEntries(Object.entries(texts.pairs ?? {}).map(([name, pair]) => [name, pair[index]]));
  const en: Readonly<Record<string, Entry>> = { ...ofPairs(0), ...texts.en };
  const byReader: Readonly<Record<Reader, Readonly<Record<string, unknown>>>> = {
    en,
    fr: { ...ofPairs(1), ...texts.fr },
    api: { ...en, ...texts.api },
  };
  const entryFor = (reader: Reader, name: string): unknown => byReader[reader][name];
  const said = Object.entries(en).map(([name, entry]) => [
    name,
    typeof entry === 'string'
      ? new Message((reader) => spaced(String(entryFor(reader, name)), reader))
      : (...values: unknown[]) =>
          new Message((reader) => {
            const sentence = entryFor(reader, name) as (...values: unknown[]) => string;
            return spaced(sentence(...values.map((value) => written(value, reader))), reader);
          }),
  ]);
  return Object.fromEntries(said) as ReturnType<typeof messagesIn<T, P>>;
}

/** Returns a message that others wrote, or that only operators read: it is the same in every language. */
export const verbatim = (text: string): Message => new Message(() => text);

/** Returns one message of several sentences. */
export const sentences = (messages: readonly Message[]): Message =>
  new Message((reader) => messages.map((each) => each.in(reader)).join(' '));

/** Returns the JSON of a value, with its messages for a reader. */
export const jsonFor = (reader: Reader, value: unknown): string =>
  reader === 'api'
    ? JSON.stringify(value)
    : JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, shown: unknown) {
        const own = this[key];
        return own instanceof Message ? own.in(reader) : shown;
      });
