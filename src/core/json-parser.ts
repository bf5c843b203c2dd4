import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { Failure } from './errors.ts';
import type { Message } from './message.ts';
import { messagesIn } from './message.ts';

const say = messagesIn({
  en: {
    tooDeep: (depth: number) => `The JSON is nested more than ${depth} levels deep.`,
    tooManyTokens: (count: string) => `The JSON has more than ${count} commas, colons and opening brackets.`,
    tooManyShapes: (count: string) => `The JSON has more than ${count} different combinations of keys.`,
  },
  fr: {
    tooDeep: (depth) => `Le JSON est imbriqué sur plus de ${depth} niveaux.`,
    tooManyTokens: (count) => `Le JSON a plus de ${count} virgules, deux-points et crochets ou accolades ouvrants.`,
    tooManyShapes: (count) => `Le JSON a plus de ${count} combinaisons différentes de clés.`,
  },
});

/** Maximum nesting depth of JSON. [rule V5] */
const maxJsonDepth = 100;

/** Maximum number of commas, colons and opening brackets: parsing 1 MiB of empty objects takes 40 ms. [rule V5] */
const maxTokens = 50_000;

/**
 * Maximum numbers of different combinations of keys, in JSON of up to 2,000 objects and of more. `JSON.parse` makes a class of
 * objects for each, and finds the class of each object among them: 12,000 objects of 1,000 classes take 15 ms, of 250 half as much. [rule V5]
 */
const maxShapes = { few: 1_000, many: 250 };
const manyObjects = 2_000;

const maxShapesOf = (objects: number): number => (objects > manyObjects ? maxShapes.many : maxShapes.few);

/** The result of {@link parseJson} for invalid JSON. */
export const malformed = Symbol('malformed');

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon] = [0x2c, 0x3a];

/** The cost of parsing JSON. */
interface Complexity {
  readonly depth: number;
  readonly tokens: number;
  readonly shapes: number;
  readonly objects: number;
}

/** Random, so that no client can prepare keys with equal hashes. */
const seed = randomBytes(4).readInt32LE();

function mix(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return product ^ (product >>> 15);
}

/** Texts are searched byte by byte up to this length; beyond it a native search is faster. */
const maxShortText = 24;

/** Returns the index of the quote that ends the text which begins at `start`; the length of `bytes` if there is none. */
function endOfText(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length) {
    for (const end = Math.min(i + maxShortText, bytes.length); i < end; i++) {
      const byte = bytes[i];
      if (byte === quote) return i;
      if (byte === backslash) i++;
    }
    // Escaped quotes are few in long texts; where they are not, the loop above passes at least 24 bytes for each search.
    const found = bytes.indexOf(quote, i);
    if (found === -1) break;
    let before = found;
    while (before > i && bytes[before - 1] === backslash) before--;
    if ((found - before) % 2 === 0) return found;
    i = found + 1;
  }
  return bytes.length;
}

/** Returns a hash of the bytes of a key. */
function hashOfKey(bytes: Buffer, start: number, end: number): number {
  let hash = seed;
  for (let i = start; i < end; i++) hash = mix(hash, bytes[i] ?? 0);
  return hash;
}

/** Measures JSON, until a maximum is exceeded. Scans bytes without recursion, so any depth is safe. */
function complexityOf(bytes: Buffer): Complexity {
  const shapes = new Set<number>();
  /** The hash of the keys so far, for each open object. */
  const objects = new Int32Array(maxJsonDepth + 1);
  let [depth, tokens, count, textStart, textEnd] = [0, 0, 0, 0, 0];
  for (
    let i = 0;
    i < bytes.length && depth <= maxJsonDepth && tokens <= maxTokens && shapes.size <= maxShapesOf(count);
    i++
  ) {
    const byte = bytes[i];
    if (byte === quote) {
      textStart = i + 1;
      textEnd = endOfText(bytes, textStart);
      i = textEnd;
    } else if (byte === comma) tokens++;
    else if (byte === colon) {
      tokens++;
      const shape = mix(objects[depth] ?? 0, hashOfKey(bytes, textStart, textEnd));
      // A text is one key, and read once: many colons may follow it in invalid JSON.
      textStart = textEnd;
      objects[depth] = shape;
      shapes.add(shape);
    } else if (byte === openObject || byte === openArray) {
      depth++;
      tokens++;
      objects[depth] = seed;
      if (byte === openObject) count++;
    } else if (byte === closeObject || byte === closeArray) depth--;
  }
  return { depth, tokens, shapes: shapes.size, objects: count };
}

/** Returns the number of opening brackets, also of those in texts. */
function openingsOf(bytes: Buffer): number {
  let openings = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === openObject || bytes[i] === openArray) openings++;
  return openings;
}

/** Returns the limit that JSON exceeds, as a sentence; null if none. */
export function jsonProblem(bytes: Buffer): Message | null {
  // Each of its bytes is one level, or one shape, at most.
  if (bytes.length <= maxShapes.few && openingsOf(bytes) <= maxJsonDepth) return null;
  const { depth, tokens, shapes, objects } = complexityOf(bytes);
  if (depth > maxJsonDepth) return say.tooDeep(maxJsonDepth);
  if (tokens > maxTokens) return say.tooManyTokens(maxTokens.toLocaleString('en'));
  const limit = maxShapesOf(objects);
  return shapes > limit ? say.tooManyShapes(limit.toLocaleString('en')) : null;
}

/** Returns whether parsing JSON takes less than about 0.5 ms. */
export function isSimpleJson(bytes: Buffer): boolean {
  if (bytes.length < 2 * 1024) return true;
  if (bytes.length >= 128 * 1024) return false;
  const { tokens, shapes } = complexityOf(bytes);
  return tokens <= 5_000 && shapes <= 200;
}

/** Parses JSON: undefined if it is blank, {@link malformed} if it is none, or not UTF-8. Throws a {@link Failure} that names the limit if it exceeds one. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return malformed;
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasByteOrderMark ? 3 : 0);
  if (text.trim() === '') return undefined;
  const problem = jsonProblem(bytes);
  if (problem !== null) throw new Failure('malformed_json', problem);
  try {
    // `__proto__` becomes an ordinary own key. No code assigns properties by names that a client sent.
    return JSON.parse(text);
  } catch {
    return malformed;
  }
}
