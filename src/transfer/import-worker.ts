/** What the worker is given. */
export interface ReadingOrder {
  /** The file with the JSON text. */
  readonly path: string;
  readonly deepest: number;
  readonly mostValues: number;
  readonly mostRecords: number;
  readonly largestRecord: number;
  /** Characters of the records that are handed over at once, and how many they are at most. */
  readonly pieceLength: number;
  readonly pieceRecords: number;
}

/** Why a document cannot be read. */
export type UnreadableWhy =
  | 'not json'
  | 'too deep'
  | 'too many values'
  | 'no object'
  | 'too many records'
  | 'too large value';

/** What the worker says: first once what the document holds, then a piece each time it is asked, then that there is no more. */
export type WorkerMessage =
  | { readonly kind: 'unreadable'; readonly why: UnreadableWhy; readonly key?: string }
  | {
      readonly kind: 'outline';
      readonly values: readonly [key: string, json: string][];
      readonly lists: readonly string[];
    }
  | {
      readonly kind: 'piece';
      readonly key: string;
      /** The JSON text of a list of records; null in the place of one that is too large. */
      readonly json: string;
      readonly tooLarge: readonly number[];
    }
  | { readonly kind: 'end' };

/**
 * The worker's program, as text: the same works from source and from the build. It looks at the bytes first, so that neither
 * depth nor a great number of tiny values can hurt it; keeps the whole document for itself; and hands it over in pieces of
 * which each is read in a moment.
 */
export const workerProgram = `
'use strict';
const { readFileSync } = require('node:fs');
const { isUtf8 } = require('node:buffer');
const { parentPort, workerData } = require('node:worker_threads');

function flawOf(bytes) {
  let depth = 0;
  let values = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inText) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      values++;
      if (++depth > workerData.deepest) return 'too deep';
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c) values++;
  }
  return values > workerData.mostValues ? 'too many values' : null;
}

function read() {
  const bytes = readFileSync(workerData.path);
  if (!isUtf8(bytes)) return { why: 'not json' };
  const flaw = flawOf(bytes);
  if (flaw) return { why: flaw };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const document = JSON.parse(bytes.toString('utf8', hasMark ? 3 : 0));
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
    return isObject ? { document } : { why: 'no object' };
  } catch {
    return { why: 'not json' };
  }
}

function begin() {
  const { document, why } = read();
  if (!document) return parentPort.postMessage({ kind: 'unreadable', why });
  const values = [];
  const lists = [];
  let records = 0;
  for (const [key, value] of Object.entries(document)) {
    if (Array.isArray(value)) {
      lists.push([key, value]);
      records += value.length;
    } else {
      const json = JSON.stringify(value);
      if (json.length > workerData.largestRecord)
        return parentPort.postMessage({ kind: 'unreadable', why: 'too large value', key: key.slice(0, 100) });
      values.push([key, json]);
    }
  }
  if (records > workerData.mostRecords || values.length + lists.length > 1000)
    return parentPort.postMessage({ kind: 'unreadable', why: 'too many records' });
  let list = 0;
  let at = 0;
  parentPort.on('message', () => {
    while (list < lists.length && at >= lists[list][1].length) {
      list++;
      at = 0;
    }
    if (list >= lists.length) return parentPort.postMessage({ kind: 'end' });
    const [key, elements] = lists[list];
    const texts = [];
    const tooLarge = [];
    let length = 0;
    while (at < elements.length && texts.length < workerData.pieceRecords && length < workerData.pieceLength) {
      const text = JSON.stringify(elements[at]);
      const isTooLarge = text.length > workerData.largestRecord;
      if (isTooLarge) tooLarge.push(at);
      texts.push(isTooLarge ? 'null' : text);
      length += isTooLarge ? 4 : text.length;
      elements[at] = null;
      at++;
    }
    parentPort.postMessage({ kind: 'piece', key, json: '[' + texts.join(',') + ']', tooLarge });
  });
  parentPort.postMessage({ kind: 'outline', values, lists: lists.map(([key]) => key) });
}

begin();
`;
