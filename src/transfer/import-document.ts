import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Failure, invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { accountDocument, isOptional } from './account-document.ts';
import { maxDocumentDepth, maxRecordLength, maxRecords, maxValues } from './import-limits.ts';
import type { ImportRemarks } from './import-report.ts';
import { elementPath } from './import-report.ts';
import type { Chunk, ParserData, RejectionReason, WorkerMessage } from './import-worker.ts';
import { workerProgram } from './import-worker.ts';

/** A parsed document, by key. */
export interface SentDocument {
  /** Values other than lists. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Elements that are too large are undefined, and have been reported as problems. */
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
}

/** Maximum memory of the parser thread, in MiB. Documents within the limits need less. */
const maxWorkerMemory = 768;

/** Timeout of the parser, in ms. 32 MiB take about a second. */
const parserTimeout = 60_000;

const messages: Readonly<Record<RejectionReason, string>> = {
  'not json': 'The file is neither JSON nor a ZIP archive.',
  'too deep': `The document is nested more than ${maxDocumentDepth} levels deep.`,
  'too many values': `The document contains more than ${maxValues} values.`,
  'not an object': 'The document is not an exported account: it must be an object.',
  'too many records': `The document contains more than ${maxRecords} records.`,
  'value too large': `A value of the document has more than ${maxRecordLength} characters.`,
};

/** Parses a JSON file in a thread that sends it in chunks, so that the event loop is not blocked. Throws 422 if it is not a JSON object or exceeds the limits. */
export async function readDocument(path: string, remarks: ImportRemarks): Promise<SentDocument> {
  const values = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  const limits = { maxDepth: maxDocumentDepth, maxValues, maxRecords, maxRecordLength };
  const worker = new Worker(workerProgram, {
    eval: true,
    workerData: { path, ...limits, chunkLength: 64 * 1024, chunkRecords: 500 } satisfies ParserData,
    // The parser does not need the environment and arguments of the server.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxWorkerMemory },
  });
  const signal = AbortSignal.timeout(parserTimeout);
  try {
    const received: AsyncIterable<WorkerMessage[]> = on(worker, 'message', { signal, close: ['exit'] });
    for await (const [message] of received) {
      if (!message || message.kind === 'end') return { values, lists };
      if (message.kind === 'rejected') throw new Failure('refused', messages[message.reason]);
      if (message.kind === 'outline') {
        for (const [key, json] of message.values) values.set(key, JSON.parse(json));
        for (const key of message.lists) lists.set(key, []);
      } else addChunk(lists.get(message.key) ?? [], message, remarks);
      // Requests the next message.
      worker.postMessage(null);
    }
    throw new Error('the parser exited');
  } catch (error) {
    if (signal.aborted) throw new Failure('refused', 'Parsing the document takes too long.');
    if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new Failure('refused', 'The document is too large to be parsed.');
    throw error;
  } finally {
    await worker.terminate();
  }
}

function addChunk(list: unknown[], { key, json, tooLarge }: Chunk, remarks: ImportRemarks): void {
  for (const element of JSON.parse(json) as unknown[]) list.push(element);
  for (const index of tooLarge) {
    list[index] = undefined;
    remarks.problem(elementPath(key, index), `This record has more than ${maxRecordLength} characters.`);
  }
}

const isSchemaVersion = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** Throws 422 with all missing or invalid keys if this is not the document of an account. */
export function assertAccountDocument({ values, lists }: SentDocument): void {
  const failures: Record<string, string> = {};
  if (!isSchemaVersion(values.get('database_schema')))
    failures['/database_schema'] = 'This must be a schema version: the document is not an exported account.';
  for (const part of accountDocument) {
    const { key, kind } = part;
    if (kind === 'metadata' || kind === 'users') continue;
    const path = `/${key}`;
    if (!values.has(key) && !lists.has(key)) {
      if (!isOptional(part)) failures[path] = 'This is missing: the document is not an exported account.';
    } else if (kind === 'list' && !lists.has(key)) failures[path] = 'This must be a list.';
    else if (kind !== 'list' && !isObject(values.get(key))) failures[path] = 'This must be an object.';
  }
  if (Object.keys(failures).length > 0) throw invalid(failures);
}
