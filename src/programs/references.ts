import type { PointerType, TargetTable } from './corpus-args.ts';
import type { Place, Problem } from './problem.ts';
import { maxProblems, problem } from './problem.ts';
import type { TargetKind } from './program-references.ts';
import { notFound } from './sentences.ts';

/** An id in a program: where it stands, and what it names. */
export interface NamedRecord {
  readonly place: Place;
  readonly kind: string;
  readonly arg: string;
  readonly target: TargetTable;
  readonly id: number;
  /** What kind of point it must be; null: any kind, or no point. */
  readonly pointerType: PointerType | null;
}

/** A record that a program names by its id. Whether the device has it is asked later, once for all. */
export class Reference {
  readonly target: TargetTable;
  readonly id: number;
  readonly pointerType: PointerType | null;
  readonly #named: NamedRecord;

  constructor(named: NamedRecord) {
    this.target = named.target;
    this.id = named.id;
    this.pointerType = named.pointerType;
    this.#named = named;
  }

  /** A JSON pointer, as in problems. */
  get path(): string {
    return this.#named.place.path;
  }

  /** What is wrong when there is no such record. */
  get problem(): Problem {
    const { place, arg, kind } = this.#named;
    const sentence = notFound(arg, kind, this.target, this.id, this.pointerType);
    return problem('language', 'not_found', place, sentence);
  }
}

/** What a check found, in the order of the program. */
export type Diagnostic = Problem | Reference;

/** One use of a record by a program, as a row of `program_references` has it. */
export interface ProgramUse {
  readonly target_kind: TargetKind;
  readonly target_id: number;
}

/** The result of a check, before it is known which records there are. */
export interface CheckResult {
  /** Problems and references, in the order in which they count. */
  readonly diagnostics: readonly Diagnostic[];
  /** What the program uses, each once. */
  readonly uses: readonly ProgramUse[];
}

/** Records that may be named: for points with their `pointer_type`, for all else with null. */
export type ExistingRecords = ReadonlyMap<TargetTable, ReadonlyMap<number, string | null>>;

/** Distinct ids by table, for one query each. All are positive and whole. */
export function referencedIds(findings: readonly Diagnostic[]): ReadonlyMap<TargetTable, readonly number[]> {
  const ids = new Map<TargetTable, Set<number>>();
  for (const finding of findings) {
    if (!(finding instanceof Reference)) continue;
    const known = ids.get(finding.target);
    if (known) known.add(finding.id);
    else ids.set(finding.target, new Set([finding.id]));
  }
  return new Map([...ids].map(([target, set]) => [target, [...set]]));
}

function isThere({ target, id, pointerType }: Reference, existing: ExistingRecords): boolean {
  const type = existing.get(target)?.get(id);
  return type !== undefined && (pointerType === null || type === pointerType);
}

/** All problems in order, at most 100: those that were found, and references to nothing. */
export function collectProblems(findings: readonly Diagnostic[], existing: ExistingRecords): Problem[] {
  const problems: Problem[] = [];
  for (const finding of findings) {
    if (problems.length >= maxProblems) break;
    if (!(finding instanceof Reference)) problems.push(finding);
    else if (!isThere(finding, existing)) problems.push(finding.problem);
  }
  return problems;
}

/** The first of them, which is the answer to a create or update. [reference 2.3] */
export function firstProblem(findings: readonly Diagnostic[], existing: ExistingRecords): Problem | undefined {
  for (const finding of findings) {
    if (!(finding instanceof Reference)) return finding;
    if (!isThere(finding, existing)) return finding.problem;
  }
  return undefined;
}
