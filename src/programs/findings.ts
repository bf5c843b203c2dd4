import type { TargetTable } from './corpus-args.ts';
import type { Place, Problem, ProblemClass, ProblemCode } from './problem.ts';
import { maxProblems, problem } from './problem.ts';
import type { TargetKind } from './program-references.ts';
import type { CheckResult, Diagnostic, NamedRecord, ProgramUse } from './references.ts';
import { Reference } from './references.ts';

/** `first`: a check ends at the first problem. `all`: it goes on, for at most 100. */
export type CheckMode = 'first' | 'all';

/** What the use of a record is called that is named in the plain way. */
const plainUse: Readonly<Record<TargetTable, TargetKind>> = {
  sequences: 'sequence',
  tools: 'tool',
  points: 'point',
  point_groups: 'point_group',
  peripherals: 'peripheral',
  sensors: 'sensor',
};

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0;

/** Collects what a check finds, in order, and knows when it is enough. */
export class Findings {
  readonly #found: Diagnostic[];
  /** Too long texts: they are no matter of the language and count only when all else is right. [reference 4.3] */
  readonly #tooLong: Problem[] = [];
  readonly #uses = new Map<TargetKind, Set<number>>();
  readonly #most: number;
  #problems: number;

  constructor(broken: readonly Problem[], mode: CheckMode) {
    this.#found = [...broken];
    this.#problems = broken.length;
    this.#most = mode === 'first' ? 1 : maxProblems;
  }

  /** No more is wanted. */
  get isFull(): boolean {
    return this.#problems >= this.#most;
  }

  get result(): CheckResult {
    const uses: ProgramUse[] = [];
    for (const [target_kind, ids] of this.#uses) for (const target_id of ids) uses.push({ target_kind, target_id });
    return { diagnostics: this.#tooLong.length > 0 ? [...this.#found, ...this.#tooLong] : this.#found, uses };
  }

  report(code: ProblemCode, place: Place, sentence: string, kind: ProblemClass = 'language'): void {
    if (kind === 'length') {
      if (this.#tooLong.length < this.#most) this.#tooLong.push(problem(kind, code, place, sentence));
    } else this.#add(problem(kind, code, place, sentence));
  }

  #add(found: Problem): void {
    if (this.isFull) return;
    this.#found.push(found);
    this.#problems++;
  }

  /**
   * Notes that a record must be there, and as what it is used (null: it may be deleted all the same). An id that no record can
   * have never gets as far as a query. [decision 14]
   */
  refer(named: NamedRecord, usedAs: TargetKind | null = plainUse[named.target]): void {
    if (this.isFull) return;
    const reference = new Reference(named);
    if (!isId(named.id)) this.#add(reference.problem);
    else {
      this.#found.push(reference);
      if (usedAs) this.use(usedAs, named.id);
    }
  }

  use(kind: TargetKind, id: number): void {
    if (!isId(id)) return;
    const ids = this.#uses.get(kind);
    if (ids) ids.add(id);
    else this.#uses.set(kind, new Set([id]));
  }
}
