import type { TSchema } from 'typebox';
import Type from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { longestNote, mostNotes } from './import-limits.ts';
import type { ImportMode } from './import-modes.ts';
import { importModes } from './import-modes.ts';

/** A remark about a place in the document. */
export interface Note {
  /** A JSON pointer: `/points/3/x`. */
  readonly path: string;
  readonly message: string;
}

/** What an import did, or would do. */
export interface ImportReport {
  /** Nothing was wrong. */
  readonly ok: boolean;
  readonly mode: ImportMode;
  /** It was only looked at: nothing was stored. */
  readonly check: boolean;
  /** Records by their key in the document. */
  readonly taken: Readonly<Record<string, number>>;
  /** Records in whose place one of the account is used, by their key. */
  readonly reused: Readonly<Record<string, number>>;
  readonly changed: readonly Note[];
  readonly left_out: readonly Note[];
  readonly problems: readonly Note[];
  /** Remarks that are not listed because there are too many. */
  readonly unlisted: number;
  /** Where the account was written to before it was replaced; a path below the server's data folder. */
  readonly back_up: string | null;
}

const note = Type.Object(
  { path: Type.String({ description: 'A JSON pointer into the document.' }), message: Type.String() },
  { additionalProperties: false },
);
const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }));

export const reportSchema: TSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'Nothing was wrong.' }),
    mode: Type.Union(importModes.map((mode) => Type.Literal(mode))),
    check: Type.Boolean({ description: 'It was only looked at.' }),
    taken: counts,
    reused: counts,
    changed: Type.Array(note, { description: 'What is stored otherwise than it was written.' }),
    left_out: Type.Array(note, { description: 'What is not stored.' }),
    problems: Type.Array(note, { description: 'Why nothing can be stored.' }),
    unlisted: Type.Integer({ minimum: 0, description: 'Remarks that are not listed because there are too many.' }),
    back_up: Type.Union([Type.String(), Type.Null()], {
      description: 'The file that the account was written to before it was replaced.',
    }),
  },
  {
    additionalProperties: false,
    title: 'Import report',
    description: 'What an import took, changed and left out.',
  },
);

const cut = (text: string): string => (text.length > longestNote ? `${text.slice(0, longestNote)}…` : text);

/** One list of remarks, which ends at some length. */
class Notes {
  readonly list: Note[] = [];
  unlisted = 0;

  add(path: string, message: string): void {
    if (this.list.length < mostNotes) this.list.push({ path: cut(path), message: cut(message) });
    else this.unlisted++;
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }
}

/** Gathers what is to be said about a document while it is looked at. */
export class ImportRemarks {
  readonly #isStrict: boolean;
  readonly #problems = new Notes();
  readonly #changed = new Notes();
  readonly #leftOut = new Notes();

  /** `isStrict`: what would be changed or lost is a problem. */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  get areProblems(): boolean {
    return !this.#problems.isEmpty;
  }

  /** Why nothing can be stored. */
  problem(path: string, message: string): void {
    this.#problems.add(path, message);
  }

  /** Something is stored otherwise than it was written. */
  changed(path: string, message: string): void {
    (this.#isStrict ? this.#problems : this.#changed).add(path, message);
  }

  /** Something is stored otherwise, as it must be: nobody loses anything by it. */
  noted(path: string, message: string): void {
    this.#changed.add(path, message);
  }

  /** Something of the garden is not stored. */
  lost(path: string, message: string): void {
    (this.#isStrict ? this.#problems : this.#leftOut).add(path, message);
  }

  /** Something is not stored that never is, or that is not known here. */
  leftOut(path: string, message: string): void {
    this.#leftOut.add(path, message);
  }

  /** The report of all this. */
  report(done: Pick<ImportReport, 'mode' | 'check' | 'taken' | 'reused' | 'back_up'>): ImportReport {
    const { mode, check, taken, reused, back_up } = done;
    return {
      ...{ ok: !this.areProblems, mode, check, taken, reused },
      changed: this.#changed.list,
      left_out: this.#leftOut.list,
      problems: this.#problems.list,
      unlisted: this.#problems.unlisted + this.#changed.unlisted + this.#leftOut.unlisted,
      back_up,
    };
  }

  /** Throws 422 with all problems by their paths, if there are any. */
  assertNone(): void {
    if (!this.areProblems) return;
    const failures: FieldFailures = {};
    // Two sentences about one place stand together.
    for (const { path, message } of this.#problems.list)
      failures[path || 'error'] = failures[path || 'error'] ? `${failures[path || 'error']} ${message}` : message;
    throw invalid(failures);
  }
}
