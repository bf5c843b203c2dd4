import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { refused } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { errorCode } from '../core/system.ts';
import { endRested } from '../core/thread-end.ts';
import type { ImportRemarks } from './import-report.ts';
import { elementPath } from './import-report.ts';
import { say } from './messages.ts';

/** Maximum depth of lists and objects: a request body's, and two levels around each record. */
const maxDocumentDepth = 104;

/** Maximum number of lists, objects and their elements: many small values take much more memory than their text. */
const maxValues = 4_000_000;

/** Maximum numbers of records and keys in a document. */
const maxRecords = 100_000;
const maxKeys = 1000;

/** Maximum length of a record as JSON, in characters, as for request bodies. */
const maxRecordLength = 1024 * 1024;

/** Maximum length of a chunk, in characters beyond its last record, and maximum number of its records. */
const maxChunkLength = 64 * 1024;
const maxChunkRecords = 500;

/** Maximum memory of the parser thread, in MiB. Documents within the limits need less. */
const maxWorkerMemory = 768;

/** Timeout of the parser, in ms. 32 MiB take about a second. */
const parserTimeout = 60_000;

/** The reason why a document is rejected. */
const rejections = {
  'too deep': say.deep(maxDocumentDepth),
  'too many values': say.manyValues(maxValues),
  'not an object': say.noDocument,
  'too many records': say.manyRecords(maxRecords),
  'value too large': say.largeValue(maxRecordLength),
};

/** Some records of a list. */
interface Chunk {
  readonly kind: 'chunk';
  readonly key: string;
  /** The records as JSON. Records that are too large are null. */
  readonly json: string;
  /** The indexes of records that are too large. */
  readonly tooLarge: readonly number[];
}

/** Messages of the worker: first an outline or a rejection, then a chunk for each request, and finally the end. */
type WorkerMessage =
  | { readonly kind: 'rejected'; readonly reason: 'not json' | keyof typeof rejections }
  | {
      readonly kind: 'outline';
      readonly values: readonly [key: string, json: string][];
      readonly lists: readonly string[];
    }
  | Chunk
  | { readonly kind: 'end' };

/**
 * The worker's program, as text, so that it runs from source and from the build. It scans the bytes before parsing them, so that
 * deep or numerous values cannot exhaust its memory, and sends the document in chunks that are quick to parse.
 */
const workerProgram = `
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
      if (++depth > ${maxDocumentDepth}) return 'too deep';
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c) values++;
  }
  return values > ${maxValues} ? 'too many values' : null;
}

function read() {
  const bytes = readFileSync(workerData);
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

function* messages() {
  const { document, reason } = read();
  if (!document) return yield { kind: 'rejected', reason };
  const entries = Object.entries(document);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const values = entries.filter(([, value]) => !Array.isArray(value)).map(([key, value]) => [key, JSON.stringify(value)]);
  if (values.some(([, json]) => json.length > ${maxRecordLength})) return yield { kind: 'rejected', reason: 'value too large' };
  const records = lists.reduce((sum, [, list]) => sum + list.length, 0);
  if (records > ${maxRecords} || entries.length > ${maxKeys}) return yield { kind: 'rejected', reason: 'too many records' };
  yield { kind: 'outline', values, lists: lists.map(([key]) => key) };
  for (const [key, list] of lists) {
    let texts = [];
    let tooLarge = [];
    let length = 0;
    for (let index = 0; index < list.length; index++) {
      let text = JSON.stringify(list[index]);
      list[index] = null;
      if (text.length > ${maxRecordLength}) {
        tooLarge.push(index);
        text = 'null';
      }
      texts.push(text);
      length += text.length;
      if (texts.length < ${maxChunkRecords} && length < ${maxChunkLength} && index < list.length - 1) continue;
      yield { kind: 'chunk', key, json: '[' + texts.join(',') + ']', tooLarge };
      texts = [];
      tooLarge = [];
      length = 0;
    }
  }
  yield { kind: 'end' };
}

const pending = messages();
const send = () => parentPort.postMessage(pending.next().value);
parentPort.on('message', send);
send();
`;

/** A parsed document, by key. */
export interface SentDocument {
  /** Values other than lists. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Elements that are too large are undefined, and have been reported as problems. */
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
}

/** Parses a JSON file in a thread that sends it in chunks, so that the event loop is not blocked. Throws 422 if it is not a JSON object, with the message `notJson` if it is no JSON at all, or exceeds the limits. */
export async function readDocument(path: string, remarks: ImportRemarks, notJson: Message): Promise<SentDocument> {
  const values = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  const worker = new Worker(workerProgram, {
    eval: true,
    workerData: path,
    // The parser does not need the environment and arguments of the server.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxWorkerMemory },
  });
  const signal = AbortSignal.timeout(parserTimeout);
  try {
    const received = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[WorkerMessage]>;
    for await (const [message] of received) {
      if (message.kind === 'end') return { values, lists };
      if (message.kind === 'rejected')
        throw refused(message.reason === 'not json' ? notJson : rejections[message.reason]);
      if (message.kind === 'outline') {
        for (const [key, json] of message.values) values.set(key, JSON.parse(json));
        for (const key of message.lists) lists.set(key, []);
      } else addChunk(lists.get(message.key) ?? [], message, remarks);
      // Requests the next message.
      worker.postMessage(null);
    }
    throw new Error('the parser exited');
  } catch (error) {
    if (signal.aborted) throw refused(say.slow);
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw refused(say.largeDocument);
    throw error;
  } finally {
    void endRested(worker);
  }
}

function addChunk(list: unknown[], { key, json, tooLarge }: Chunk, remarks: ImportRemarks): void {
  for (const element of JSON.parse(json) as unknown[]) list.push(element);
  for (const index of tooLarge) {
    list[index] = undefined;
    remarks.problem(elementPath(key, index), say.longRecord(maxRecordLength));
  }
}
