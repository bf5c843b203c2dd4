import { isUtf8 } from 'node:buffer';

/** Maximum nesting depth of a JSON body. [rule V5] */
const maxJsonDepth = 100;

/** Maximum number of commas, colons and opening brackets of a JSON body: parsing 1 MiB of empty objects takes 40 ms. [rule V5] */
const maxTokens = 50_000;

/** The result of {@link parseJson} for invalid JSON. */
export const malformed = Symbol('malformed');

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon] = [0x2c, 0x3a];

/** Returns whether arrays and objects are nested deeper than `maxDepth`, or there are too many tokens. Scans bytes without recursion, so any depth is safe. */
function isTooComplex(bytes: Buffer, maxDepth: number): boolean {
  if (bytes.length <= maxDepth) return false;
  let depth = 0;
  let tokens = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma || byte === colon) tokens++;
    else if (byte === openObject || byte === openArray) {
      depth++;
      tokens++;
      if (depth > maxDepth) return true;
    } else if (byte === closeObject || byte === closeArray) depth--;
  }
  return tokens > maxTokens;
}

/** Parses a body: undefined if it is blank, {@link malformed} if it is not JSON, not UTF-8, nested too deeply or has too many tokens. */
export function parseJson(bytes: Buffer, maxDepth = maxJsonDepth): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return malformed;
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasByteOrderMark ? 3 : 0);
  if (text.trim() === '') return undefined;
  if (isTooComplex(bytes, maxDepth)) return malformed;
  try {
    // `__proto__` becomes an ordinary own key. No code assigns properties by names that a client sent.
    return JSON.parse(text);
  } catch {
    return malformed;
  }
}
