import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { say } from './check-messages.ts';
import { checkProgram } from './checker.ts';
import type { ProgramProblem } from './problem.ts';
import { fieldProblem } from './problem.ts';
import { collectProblems, Reference, referencedIds } from './references.ts';
import { defaultLimits } from './sequence-limits.ts';
import type { Tree } from './tree.ts';
import { sequenceTree } from './tree.ts';

/** A parsed program with its number of steps, or its problems. */
export type ProgramInput =
  | { readonly tree: Tree; readonly steps: number }
  | { readonly problems: readonly ProgramProblem[] };

const invalidProgram = (path: string, message: Message): ProgramInput => ({
  problems: [fieldProblem('wrong_type', path, message)],
});

/** Parses a program from the fields of a sequence. `args` null or undefined: no variables. */
export function parseProgram(args: unknown, body: unknown): ProgramInput {
  if (args !== undefined && args !== null && !isObject(args)) return invalidProgram('/args', say.noObject);
  if (!Array.isArray(body)) return invalidProgram('/body', say.noList);
  return { tree: sequenceTree(args, body), steps: body.length };
}

/** The result of a check without a database. */
export interface DocumentCheck {
  readonly problems: readonly ProgramProblem[];
  readonly steps: number;
  /** Number of records that the program names; their existence was not checked. */
  readonly referenceCount: number;
  /** A limit of accounts that may prevent storing the program; null if there is none. */
  readonly hint: string | null;
}

/** A hint only, because accounts may have other limits. [rule P17] */
const stepsHint = (steps: number): string | null =>
  steps > defaultLimits.steps
    ? `Note: an account allows ${defaultLimits.steps} steps, not ${steps}, unless its limit is raised ("potager device set-limits").`
    : null;

/** Checks a program from a file: a whole sequence, `{args, body}`, or only a list of steps. Ids are not checked. */
export function checkDocument(value: unknown): DocumentCheck {
  const sequence = isObject(value) ? (isObject(value.sequence) ? value.sequence : value) : { body: value };
  const program = parseProgram(sequence.args, sequence.body);
  if (!('tree' in program)) return { problems: program.problems, steps: 0, referenceCount: 0, hint: null };
  const { diagnostics } = checkProgram(program.tree, 'all');
  let referenceCount = 0;
  for (const ids of referencedIds(diagnostics).values()) referenceCount += ids.length;
  const problems = diagnostics.filter((diagnostic) => !(diagnostic instanceof Reference));
  return {
    problems: collectProblems(problems, new Map()),
    steps: program.steps,
    referenceCount,
    hint: stepsHint(program.steps),
  };
}
