import type { PointerType } from './corpus-args.ts';
import type { Place, ProgramProblem } from './problem.ts';
import { maxProblems, problem } from './problem.ts';
import { missingRecord } from './problem-messages.ts';
import type { TargetKind } from './program-references.ts';
import type { TargetTable } from './targets.ts';

/** An id in a program: its location and the record that it names. */
export interface RecordReference {
  readonly place: Place;
  readonly kind: string;
  readonly arg: string;
  readonly target: TargetTable;
  readonly id: number;
  /** The required type of point; null for any type and for other records. */
  readonly pointerType: PointerType | null;
}

/** A record that a program names by id. Whether it exists is queried later, once for all references. */
export class Reference {
  readonly target: TargetTable;
  readonly id: number;
  readonly pointerType: PointerType | null;
  readonly #record: RecordReference;

  constructor(record: RecordReference) {
    this.target = record.target;
    this.id = record.id;
    this.pointerType = record.pointerType;
    this.#record = record;
  }

  /** A JSON pointer, as in problems. */
  get path(): string {
    return this.#record.place.path;
  }

  /** The problem to report if the record does not exist. */
  get problem(): ProgramProblem {
    const { place, arg, kind } = this.#record;
    const sentence = missingRecord(arg, kind, this.target, this.id, this.pointerType);
    return problem('language', 'not_found', place, sentence);
  }
}

/** A problem, or a reference that is a problem if its record does not exist. */
export type Diagnostic = ProgramProblem | Reference;

/** One use of a record by a program, as stored in `program_references`. */
export interface ProgramUse {
  readonly target_kind: TargetKind;
  readonly target_id: number;
}

/** The result of a check, before references are resolved. */
export interface CheckedProgram {
  /** Problems and references in reporting order. */
  readonly diagnostics: readonly Diagnostic[];
  /** The records that the program uses, without duplicates. */
  readonly uses: readonly ProgramUse[];
}

/** The records that exist, by table and id; points with their `pointer_type`, others with null. */
export type ExistingRecords = ReadonlyMap<TargetTable, ReadonlyMap<number, string | null>>;

/** Returns the distinct ids of each table, for one query per table. All are positive safe integers. */
export function referencedIds(diagnostics: readonly Diagnostic[]): ReadonlyMap<TargetTable, readonly number[]> {
  const ids = new Map<TargetTable, Set<number>>();
  for (const diagnostic of diagnostics) {
    if (!(diagnostic instanceof Reference)) continue;
    const known = ids.get(diagnostic.target);
    if (known) known.add(diagnostic.id);
    else ids.set(diagnostic.target, new Set([diagnostic.id]));
  }
  return new Map([...ids].map(([target, set]) => [target, [...set]]));
}

function exists({ target, id, pointerType }: Reference, existing: ExistingRecords): boolean {
  const type = existing.get(target)?.get(id);
  return type !== undefined && (pointerType === null || type === pointerType);
}

/** Returns all problems in order, at most {@link maxProblems}, unresolved references included. */
export function collectProblems(diagnostics: readonly Diagnostic[], existing: ExistingRecords): ProgramProblem[] {
  const problems: ProgramProblem[] = [];
  for (const diagnostic of diagnostics) {
    if (problems.length >= maxProblems) break;
    if (!(diagnostic instanceof Reference)) problems.push(diagnostic);
    else if (!exists(diagnostic, existing)) problems.push(diagnostic.problem);
  }
  return problems;
}

/** Returns the first problem, which is the response to a create or update. [rule P6] */
export function firstProblem(
  diagnostics: readonly Diagnostic[],
  existing: ExistingRecords,
): ProgramProblem | undefined {
  for (const diagnostic of diagnostics) {
    if (!(diagnostic instanceof Reference)) return diagnostic;
    if (!exists(diagnostic, existing)) return diagnostic.problem;
  }
  return undefined;
}
