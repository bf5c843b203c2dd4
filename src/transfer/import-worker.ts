/** The input of the worker. */
export interface ParserData {
  /** The path of the JSON file. */
  readonly path: string;
  readonly maxDepth: number;
  readonly maxValues: number;
  readonly maxRecords: number;
  readonly maxRecordLength: number;
  /** Maximum length of a chunk, in characters beyond the last record, and maximum number of its records. */
  readonly chunkLength: number;
  readonly chunkRecords: number;
}

/** Why a document is rejected. */
export type RejectionReason =
  | 'not json'
  | 'too deep'
  | 'too many values'
  | 'not an object'
  | 'too many records'
  | 'value too large';

/** Messages of the worker: first an outline or a rejection, then a chunk for each request, and finally the end. */
export type WorkerMessage =
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly key?: string }
  | {
      readonly kind: 'outline';
      readonly values: readonly [key: string, json: string][];
      readonly lists: readonly string[];
    }
  | Chunk
  | { readonly kind: 'end' };

/** Some records of a list. */
export interface Chunk {
  readonly kind: 'chunk';
  readonly key: string;
  /** The records as JSON. Those that are too large are null. */
  readonly json: string;
  /** The indexes of records that are too large. */
  readonly tooLarge: readonly number[];
}

/**
 * The worker's program, as text, so that it runs from source and from the build. It scans the bytes before parsing them, so that
 * deep or numerous values cannot exhaust its memory, and sends the document in chunks that are quick to parse.
 */
export const workerProgram = `
'use strict';
const { readFileSync } = require('node:fs');
const { isUtf8 } = require('node:buffer');
const { parentPort, workerData } = require('node:worker_threads');

function rejectionOf(bytes) {
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
      if (++depth > workerData.maxDepth) return 'too deep';
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c) values++;
  }
  return values > workerData.maxValues ? 'too many values' : null;
}

function read() {
  const bytes = readFileSync(workerData.path);
  if (!isUtf8(bytes)) return { reason: 'not json' };
  const reason = rejectionOf(bytes);
  if (reason) return { reason };
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const document = JSON.parse(bytes.toString('utf8', hasBom ? 3 : 0));
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
    return isObject ? { document } : { reason: 'not an object' };
  } catch {
    return { reason: 'not json' };
  }
}

function start() {
  const { document, reason } = read();
  if (!document) return parentPort.postMessage({ kind: 'rejected', reason });
  const values = [];
  const lists = [];
  let records = 0;
  for (const [key, value] of Object.entries(document)) {
    if (Array.isArray(value)) {
      lists.push([key, value]);
      records += value.length;
    } else {
      const json = JSON.stringify(value);
      if (json.length > workerData.maxRecordLength)
        return parentPort.postMessage({ kind: 'rejected', reason: 'value too large', key: key.slice(0, 100) });
      values.push([key, json]);
    }
  }
  if (records > workerData.maxRecords || values.length + lists.length > 1000)
    return parentPort.postMessage({ kind: 'rejected', reason: 'too many records' });
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
    while (at < elements.length && texts.length < workerData.chunkRecords && length < workerData.chunkLength) {
      const text = JSON.stringify(elements[at]);
      const isTooLarge = text.length > workerData.maxRecordLength;
      if (isTooLarge) tooLarge.push(at);
      texts.push(isTooLarge ? 'null' : text);
      length += isTooLarge ? 4 : text.length;
      elements[at] = null;
      at++;
    }
    parentPort.postMessage({ kind: 'chunk', key, json: '[' + texts.join(',') + ']', tooLarge });
  });
  parentPort.postMessage({ kind: 'outline', values, lists: lists.map(([key]) => key) });
}

start();
`;
