import type { Message } from '../core/message.ts';
import type { Place, ProblemClass, ProblemCode, ProgramProblem } from './problem.ts';
import { maxProblems, problem } from './problem.ts';
import type { TargetKind } from './program-references.ts';
import type { CheckedProgram, Diagnostic, ProgramUse, RecordReference } from './references.ts';
import { Reference } from './references.ts';
import { targets } from './targets.ts';

/** `first` stops at the first problem, `all` at {@link maxProblems}. */
export type CheckMode = 'first' | 'all';

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0;

/** Collects the diagnostics of a check in order, up to the limit of its mode. */
export class DiagnosticCollector {
  readonly #diagnostics: Diagnostic[];
  /** Overlong texts, which count only if nothing else is wrong. [rule P22] */
  readonly #overlongTexts: ProgramProblem[] = [];
  readonly #uses = new Map<TargetKind, Set<number>>();
  readonly #limit: number;
  #problemCount: number;

  /** `problems`: problems of the program's structure. */
  constructor(problems: readonly ProgramProblem[], mode: CheckMode) {
    this.#diagnostics = [...problems];
    this.#problemCount = problems.length;
    this.#limit = mode === 'first' ? 1 : maxProblems;
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return this.#problemCount >= this.#limit;
  }

  get result(): CheckedProgram {
    const uses: ProgramUse[] = [];
    for (const [target_kind, ids] of this.#uses) for (const target_id of ids) uses.push({ target_kind, target_id });
    return { diagnostics: this.#diagnostics.concat(this.#overlongTexts), uses };
  }

  report(code: ProblemCode, place: Place, sentence: Message, kind: ProblemClass = 'language'): void {
    if (kind === 'length') {
      if (this.#overlongTexts.length < this.#limit) this.#overlongTexts.push(problem(kind, code, place, sentence));
    } else this.#addProblem(problem(kind, code, place, sentence));
  }

  #addProblem(problem: ProgramProblem): void {
    if (this.isFull) return;
    this.#diagnostics.push(problem);
    this.#problemCount++;
  }

  /** Requires a record to exist. `usedAs` null: the record may be deleted while the program names it. Ids that no record can have are reported without a query. [decision 14] */
  require(record: RecordReference, usedAs: TargetKind | null = targets[record.target].use): void {
    if (this.isFull) return;
    const reference = new Reference(record);
    if (!isId(record.id)) this.#addProblem(reference.problem);
    else {
      this.#diagnostics.push(reference);
      if (usedAs) this.use(usedAs, record.id);
    }
  }

  use(kind: TargetKind, id: number): void {
    if (!isId(id)) return;
    const ids = this.#uses.get(kind);
    if (ids) ids.add(id);
    else this.#uses.set(kind, new Set([id]));
  }
}
