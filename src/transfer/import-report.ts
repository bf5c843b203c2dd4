import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { FieldFailure } from '../core/errors.ts';
import { invalid, messagesOf } from '../core/errors.ts';
import { Message, sentences } from '../core/message.ts';
import { maxEpochSeconds, parseTime } from '../core/time-formats.ts';
import { Type } from '../engine/json-schema.ts';
import { say } from './messages.ts';

/** Maximum number of notes of each kind in a report. */
const maxNotes = 1000;

/** Maximum length of a note and of its path, in characters. */
const maxNoteLength = 1000;

/**
 * The treatment of the records of the account. `empty`: it must not have any. `merge`: they are kept, and used instead of imported
 * ones with the same unique value. `replace`: they are deleted first.
 */
export const importModes = ['empty', 'merge', 'replace'] as const;
export type ImportMode = (typeof importModes)[number];

const noteSchema = Type.Object(
  { path: Type.String({ description: 'A JSON pointer into the document.' }), message: Type.String() },
  { $id: 'ImportNote' },
);

/** A note about a value of the document. */
export interface Note {
  readonly path: string;
  readonly message: Message;
}

/** Numbers of records by key of the document. */
const counts = Type.Record(Type.Integer({ minimum: 0 }));

export const reportSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'There were no problems.' }),
    mode: Type.OneOf(importModes),
    check: Type.Boolean({ description: 'The document was only checked.' }),
    taken: counts,
    reused: counts,
    changed: Type.Array(noteSchema, { description: 'Values that are stored differently.' }),
    left_out: Type.Array(noteSchema, { description: 'Values that are not stored.' }),
    problems: Type.Array(noteSchema, { description: 'Reasons why nothing can be stored.' }),
    unlisted: Type.Integer({ minimum: 0, description: 'Notes that are not listed because there are too many.' }),
    back_up: Type.Nullable(Type.String({ description: 'The backup of the replaced account, in the data folder.' })),
  },
  {
    $id: 'ImportReport',
    examples: [
      {
        ok: true,
        mode: 'empty',
        check: false,
        taken: { tools: 2, points: 14 },
        reused: {},
        changed: [],
        left_out: [{ path: '/users', message: 'Users are not imported.' }],
        problems: [],
        unlisted: 0,
        back_up: null,
      },
    ],
    description: 'What an import stored, changed and omitted.',
  },
);

/** The content that {@link reportSchema} documents. */
export interface ImportReport {
  readonly ok: boolean;
  readonly mode: ImportMode;
  readonly check: boolean;
  readonly taken: Readonly<Record<string, number>>;
  readonly reused: Readonly<Record<string, number>>;
  readonly changed: readonly Note[];
  readonly left_out: readonly Note[];
  readonly problems: readonly Note[];
  readonly unlisted: number;
  readonly back_up: string | null;
}

const truncate = (text: string): string => (text.length > maxNoteLength ? `${text.slice(0, maxNoteLength)}…` : text);

const truncated = (message: Message): Message => new Message((reader) => truncate(message.in(reader)));

/** Collects notes about a document while it is checked. */
export class ImportRemarks {
  readonly #isStrict: boolean;
  readonly #notes = { changed: [] as Note[], left_out: [] as Note[], problems: [] as Note[] };
  #unlisted = 0;

  /** `isStrict`: changes and losses are problems. */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  #add(notes: Note[], path: string, message: Message): void {
    if (notes.length < maxNotes) notes.push({ path: truncate(path), message: truncated(message) });
    else this.#unlisted++;
  }

  /** A reason why nothing can be stored. */
  problem(path: string, message: Message): void {
    this.#add(this.#notes.problems, path, message);
  }

  /** A value is stored differently. A problem if the import is strict. */
  changed(path: string, message: Message): void {
    this.#add(this.#isStrict ? this.#notes.problems : this.#notes.changed, path, message);
  }

  /** A value is stored differently, without loss. */
  adjusted(path: string, message: Message): void {
    this.#add(this.#notes.changed, path, message);
  }

  /** A record is not stored. A problem if the import is strict. */
  lost(path: string, message: Message): void {
    this.#add(this.#isStrict ? this.#notes.problems : this.#notes.left_out, path, message);
  }

  /** A value is not stored because it is unknown or never imported. */
  omitted(path: string, message: Message): void {
    this.#add(this.#notes.left_out, path, message);
  }

  /** Returns the report with all notes. */
  report(done: Pick<ImportReport, 'mode' | 'check' | 'taken' | 'reused' | 'back_up'>): ImportReport {
    const { back_up, ...counts } = done;
    const ok = this.#notes.problems.length === 0;
    return { ok, ...counts, ...this.#notes, unlisted: this.#unlisted, back_up };
  }

  /** Throws 422 with all problems by path, if there are any. */
  assertNoProblems(): void {
    const problems = new Map<string, Message[]>();
    for (const { path, message } of this.#notes.problems)
      problems.set(path || 'error', [...(problems.get(path || 'error') ?? []), message]);
    // Messages about the same value are joined.
    const failures = [...problems].map(([path, messages]) => [path, sentences(messages)] as const);
    if (failures.length > 0) throw invalid(Object.fromEntries(failures));
  }
}

/** Escapes a key for a JSON pointer. */
export const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the JSON pointer to an element of a list. */
export const elementPath = (key: string, index: number): string => `/${escapeKey(key)}/${index}`;

/** Joins the failures of a field into one message. */
export function failureMessage(failure: FieldFailure): Message {
  const distinct = new Map(messagesOf(failure).map((message) => [String(message), message]));
  return sentences([...distinct.values()].slice(0, 5));
}

/** Parses a creation time: ISO 8601, or seconds since the epoch. Returns null if it is missing or invalid. */
export function parseCreationTime(value: unknown): Timestamp | null {
  if (typeof value === 'string') return parseTime(value);
  const isValid = typeof value === 'number' && value >= 0 && value <= maxEpochSeconds;
  return isValid ? timestamp(Math.trunc(value * 1000)) : null;
}

/** Returns the creation time of a record; null if it has none. Reports an invalid one. */
export function creationTime(
  { created_at: sent = null }: Readonly<Record<string, unknown>>,
  path: string,
  remarks: ImportRemarks,
): Timestamp | null {
  const time = parseCreationTime(sent);
  if (time === null && sent !== null) remarks.changed(`${path}/created_at`, say.wrongTime);
  return time;
}
