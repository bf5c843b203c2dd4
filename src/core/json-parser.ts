import { isUtf8 } from 'node:buffer';

/** Deepest nesting of a JSON body. [reference 1.2] */
export const maxJsonDepth = 100;

/** What {@link parseJson} gives for bytes that are no JSON we take. */
export const malformed = Symbol('malformed');

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether lists and objects are nested deeper than allowed; looks at bytes only, so that no depth can hurt it. */
function isTooDeep(bytes: Buffer, levels: number): boolean {
  if (bytes.length <= levels) return false;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inText) {
      if (byte === backslash) i++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openObject || byte === openList) {
      depth++;
      if (depth > levels) return true;
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return false;
}

/** The value of a body: undefined when it is empty or white space, {@link malformed} when it is no JSON, no UTF-8 or nested too deeply. */
export function parseJson(bytes: Buffer, levels = maxJsonDepth): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return malformed;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasMark ? 3 : 0);
  if (text.trim() === '') return undefined;
  if (isTooDeep(bytes, levels)) return malformed;
  try {
    // `__proto__` becomes a key like any other; nobody further on assigns by the name of a key that was sent.
    return JSON.parse(text);
  } catch {
    return malformed;
  }
}
