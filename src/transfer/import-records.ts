import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { FieldFailure } from '../core/errors.ts';
import { Failure } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ParsedBody } from '../engine/body.ts';
import { parseBody } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { parseTime } from '../engine/kinds.ts';
import type { AnyResource, Input, ResourceOptions } from '../engine/resource.ts';
import type { ProgramUse } from '../programs/references.ts';
import type { Node } from '../programs/tree.ts';
import { escaped, pathOf } from './import-document.ts';
import { histories, importedFields, knownKeys, withoutOldNulls } from './import-fields.ts';
import type { ImportRemarks } from './import-report.ts';
import type { Turns } from './import-turns.ts';

/** A program of a record: what is stored of it, under the ids of the document, and what it uses. */
export interface EntryProgram {
  readonly root: Node;
  readonly uses: readonly ProgramUse[];
  /** It names sequences, which may be stored after it. */
  readonly namesSequences: boolean;
}

/** A record of the document that is to be stored. */
export interface Entry {
  readonly path: string;
  /** The record as it stands in the document. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Its id in the document. */
  readonly id: number;
  /** What its fields hold, under the ids of the document. */
  readonly values: Record<string, unknown>;
  readonly createdAt: Timestamp | null;
  program?: EntryProgram;
}

/** The records of one table. */
export interface EntryList {
  readonly key: string;
  readonly resource: AnyResource;
  /** Those that are stored, in the order of the document. */
  entries: Entry[];
  /** The ids of all that the document holds, taken or not. */
  readonly ids: ReadonlySet<number>;
  /** Those that keep everything out: nothing that names them is told for that. */
  readonly faulty: readonly Pick<Entry, 'id' | 'values'>[];
}

/** Failures of fields as one sentence. */
export function sentenceOf(failure: FieldFailure): string {
  if (typeof failure === 'string') return failure;
  const parts = Array.isArray(failure) ? failure.filter((one) => one !== null) : Object.values(failure);
  return [...new Set(parts.map(sentenceOf))].slice(0, 5).join(' ');
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Seconds since the epoch that a database can hold as a time: until the year 9999. */
const latestSecond = 253_402_300_799;

/** When a record was made: ISO text, or seconds since the epoch. Null where the document does not say. */
export function timeOf(value: unknown): Timestamp | null {
  if (typeof value === 'string') return value.length <= 100 ? parseTime(value) : null;
  const isTime = typeof value === 'number' && value >= 0 && value <= latestSecond;
  return isTime ? timestamp(Math.trunc(value * 1000)) : null;
}

/** When a record was made, as it says itself. A time that cannot be read is told. */
export function madeAt(
  { created_at: sent = null }: Readonly<Record<string, unknown>>,
  path: string,
  remarks: ImportRemarks,
): Timestamp | null {
  const time = timeOf(sent);
  if (time === null && sent !== null)
    remarks.changed(`${path}/created_at`, 'This time cannot be read: the present one takes its place.');
  return time;
}

type Prepare = NonNullable<ResourceOptions<Fields>['hooks']>['prepare'];

/** A resource's own check. Where its fields do not matter, its hooks are out of sight: they take what its fields have read. */
const prepareOf = (resource: AnyResource): Prepare => (resource.options as ResourceOptions<Fields>).hooks?.prepare;

/** What is not known here, told once for all records of a list. */
class UnknownKeys {
  readonly #found = new Map<string, number>();
  readonly #known: ReadonlySet<string>;
  /** Different keys that are told of one list at most. */
  readonly #most = 50;

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  look(record: object): void {
    for (const key in record)
      if (!this.#known.has(key) && (this.#found.size < this.#most || this.#found.has(key)))
        this.#found.set(key, (this.#found.get(key) ?? 0) + 1);
  }

  tell(key: string, remarks: ImportRemarks): void {
    for (const [name, count] of this.#found)
      remarks.leftOut(`/${escaped(key)}/*/${escaped(name)}`, `This is not known here (${count} times).`);
  }
}

/** Tells of keys of one object that are not known here. */
export function tellUnknown(path: string, record: object, known: ReadonlySet<string>, remarks: ImportRemarks): void {
  for (const name of Object.keys(record).slice(0, 200))
    if (!known.has(name)) remarks.leftOut(`${path}/${escaped(name)}`, 'This is not known here.');
}

/** Reads the records of one list by the rules of its fields and its resource's own check. What is wrong with one of the garden is a problem; one of what happened is left out. */
export async function readRecords(
  scope: DeviceScope,
  { key, resource }: { readonly key: string; readonly resource: AnyResource },
  sent: readonly unknown[],
  remarks: ImportRemarks,
  turns: Turns,
): Promise<EntryList> {
  const fields = importedFields(resource);
  const prepare = prepareOf(resource);
  const unknown = new UnknownKeys(knownKeys(resource));
  const isHistory = histories.has(resource.name);
  const ids = new Set<number>();
  const entries: Entry[] = [];
  const faulty: Pick<Entry, 'id' | 'values'>[] = [];
  for (let index = 0; index < sent.length; index++) {
    await turns.next();
    const record = sent[index];
    const path = pathOf(key, index);
    if (record === undefined) continue;
    if (!isObject(record) || !isId(record.id)) {
      remarks.problem(path, isObject(record) ? 'A record must have an id.' : 'A record must be an object.');
      continue;
    }
    const { id } = record;
    if (ids.has(id)) {
      remarks.problem(path, `There is another record with the id ${id}.`);
      continue;
    }
    ids.add(id);
    unknown.look(record);
    const tell = (at: string, sentence: string): void =>
      isHistory ? remarks.lost(path, sentence) : remarks.problem(at, sentence);
    const cleaned = withoutOldNulls(resource, record);
    const reading = parseBody(fields, cleaned, 'create', resource.options.coercion);
    const failures = await failuresOf(scope, reading, cleaned, prepare);
    for (const [name, sentence] of failures) tell(name === '' ? path : `${path}/${escaped(name)}`, sentence);
    if (failures.length === 0)
      entries.push({ path, sent: record, id, values: reading.values, createdAt: madeAt(record, path, remarks) });
    else if (!isHistory) faulty.push({ id, values: record });
  }
  unknown.tell(key, remarks);
  return { key, resource, entries, ids, faulty };
}

/** What is wrong with a record, by field; with the record as a whole under no name. */
async function failuresOf(
  scope: DeviceScope,
  { values, failures, modelProblems }: ParsedBody,
  record: Readonly<Record<string, unknown>>,
  prepare: Prepare,
): Promise<(readonly [field: string, sentence: string])[]> {
  const found = [
    ...Object.entries(failures).map(([name, failure]) => [name, sentenceOf(failure)] as const),
    ...modelProblems.map((sentence) => ['', sentence] as const),
  ];
  if (found.length > 0) return found;
  try {
    const told = await prepare?.(scope, values as Input<Fields>, undefined, record);
    return Object.entries(told ?? {}).map(([name, failure]) => [name, sentenceOf(failure)] as const);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [['', error.message]];
  }
}
