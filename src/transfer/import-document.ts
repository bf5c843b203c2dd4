import { Worker } from 'node:worker_threads';
import { Failure, invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { accountDocument, mayBeMissing } from './account-document.ts';
import { deepestJson, largestRecord, mostRecords, mostValues } from './import-limits.ts';
import type { ImportRemarks } from './import-report.ts';
import type { ReadingOrder, UnreadableWhy, WorkerMessage } from './import-worker.ts';
import { workerProgram } from './import-worker.ts';

/** A document that was read: what it holds by its keys. */
export interface SentDocument {
  /** Values that are no lists. */
  readonly values: ReadonlyMap<string, unknown>;
  /** An element that was too large is undefined; it is among the problems already. */
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
}

/** Memory of the thread that parses, in megabytes; what the limits allow needs less. */
const workerMemory = 768;

/** How long parsing may take, in ms: 32 MiB take a second on a server. */
const parseTime = 60_000;

const sentences: Readonly<Record<UnreadableWhy, string>> = {
  'not json': 'The file is neither JSON nor a ZIP archive.',
  'too deep': `The document is nested more than ${deepestJson} levels deep.`,
  'too many values': `The document holds more than ${mostValues} values.`,
  'no object': 'The document is no export of an account: it must be an object.',
  'too many records': `The document holds more than ${mostRecords} records.`,
  'too large value': `A value of the document is larger than ${largestRecord} characters.`,
};

/** Speaks with the thread that parses: asks, and gets one message. Rejects when the thread ends otherwise. */
class Parser {
  readonly #worker: Worker;
  readonly #timer: NodeJS.Timeout;
  #settle: ((message: WorkerMessage) => void) | null = null;
  #fail: ((error: unknown) => void) | null = null;

  constructor(order: ReadingOrder) {
    this.#worker = new Worker(workerProgram, {
      eval: true,
      workerData: order,
      // Nothing of the server's environment or arguments is its business.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: workerMemory },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#settle?.(message));
    this.#worker.on('error', (error) => this.#fail?.(error));
    this.#worker.on('exit', () => this.#fail?.(new Error('the parser ended')));
    this.#timer = setTimeout(
      () => this.#fail?.(new Failure('refused', 'The document takes too long to read.')),
      parseTime,
    );
  }

  /** `asks` false: only waits, for what comes by itself. */
  next(asks: boolean): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      if (asks) this.#worker.postMessage(null);
    });
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#fail = null;
    await this.#worker.terminate();
  }
}

/** Reads a JSON file in another thread; it comes over in pieces, so that nobody else waits for it. Throws 422 for what is no JSON object, or too much of one. */
export async function readDocument(path: string, remarks: ImportRemarks): Promise<SentDocument> {
  const parser = new Parser({
    path,
    deepest: deepestJson,
    ...{ mostValues, mostRecords, largestRecord },
    pieceLength: 64 * 1024,
    pieceRecords: 500,
  });
  const values = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  try {
    for (let message = await parser.next(false); message.kind !== 'end'; message = await parser.next(true)) {
      if (message.kind === 'unreadable') throw new Failure('refused', sentences[message.why]);
      if (message.kind === 'outline') {
        for (const [key, json] of message.values) values.set(key, JSON.parse(json));
        for (const key of message.lists) lists.set(key, []);
        continue;
      }
      const list = lists.get(message.key);
      if (!list) continue;
      const from = list.length;
      for (const element of JSON.parse(message.json) as unknown[]) list.push(element);
      for (const place of message.tooLarge) {
        list[place] = undefined;
        remarks.problem(pathOf(message.key, place), `This record is larger than ${largestRecord} characters.`);
      }
      if (list.length === from) throw new Error('the parser gave an empty piece');
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new Failure('refused', 'The document is too large to be read.');
    throw error;
  } finally {
    await parser.end();
  }
  return { values, lists };
}

/** A JSON pointer to an element of a list. */
export const pathOf = (key: string, index: number): string => `/${escaped(key)}/${index}`;

/** A key as part of a JSON pointer. */
export const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The number of the schema that a document was written with: a time as digits. */
const isSchema = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** Whether this is an account's document at all: its keys are there and hold what they must. Throws 422 with all that is not so. */
export function assertAccount({ values, lists }: SentDocument): void {
  const failures: Record<string, string> = {};
  if (!isSchema(values.get('database_schema')))
    failures['/database_schema'] = 'An export of an account says with which schema it was written; this one does not.';
  for (const part of accountDocument) {
    const { key, holds, isImported } = part;
    if (!isImported) continue;
    const path = `/${key}`;
    const isList = holds === 'records';
    const isThere = values.has(key) || lists.has(key);
    if (!isThere) {
      if (!mayBeMissing(part)) failures[path] = 'This is missing: the document is no export of an account.';
    } else if (isList && !lists.has(key)) failures[path] = 'This must be a list.';
    else if (!isList && !isObject(values.get(key))) failures[path] = 'This must be an object.';
  }
  if (Object.keys(failures).length > 0) throw invalid(failures);
}
