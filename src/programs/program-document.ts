import { isObject } from '../core/json.ts';
import { checkProgram } from './checker.ts';
import type { Problem } from './problem.ts';
import { collectProblems, Reference, referencedIds } from './references.ts';
import { defaultLimits } from './sequence-limits.ts';
import type { Tree } from './tree.ts';
import { sequenceTree } from './tree.ts';

/** A program that was read with the length of its list of steps, or why there is none. */
export type ProgramInput = { readonly tree: Tree; readonly steps: number } | { readonly problems: readonly Problem[] };

const noProgram = (path: string, message: string): ProgramInput => ({
  problems: [{ class: 'structure', code: 'wrong_type', path, message }],
});

/** Reads a program from the fields of a sequence. `args` null or left out: no variables. */
export function readProgram(args: unknown, body: unknown): ProgramInput {
  if (args !== undefined && args !== null && !isObject(args))
    return noProgram('/args', 'The "args" of a sequence must be an object.');
  if (!Array.isArray(body)) return noProgram('/body', 'The "body" of a sequence must be a list of steps.');
  return { tree: sequenceTree(args, body), steps: body.length };
}

/** What a check without a database found. */
export interface DocumentCheck {
  readonly problems: readonly Problem[];
  readonly steps: number;
  /** Records that the program names; whether they are there was not looked at. */
  readonly referenceCount: number;
  /** What is no problem of the program but may keep an account from storing it; null: nothing. */
  readonly hint: string | null;
}

/** Accounts may have other limits than the usual ones, so that this is no problem. [reference 2.7] */
const stepsHint = (steps: number): string | null =>
  steps > defaultLimits.steps
    ? `Note: accounts take ${defaultLimits.steps} steps, not ${steps}, unless their limit is raised ("potager device set-limits").`
    : null;

/** Checks a program as people have it in files: a whole sequence, `{args, body}`, or only its steps. Ids are not looked at. */
export function checkDocument(value: unknown): DocumentCheck {
  const sequence = isObject(value) ? (isObject(value.sequence) ? value.sequence : value) : { body: value };
  const read = readProgram(sequence.args, sequence.body);
  if (!('tree' in read)) return { problems: read.problems, steps: 0, referenceCount: 0, hint: null };
  const { diagnostics } = checkProgram(read.tree, 'all');
  let referenceCount = 0;
  for (const ids of referencedIds(diagnostics).values()) referenceCount += ids.length;
  const problems = diagnostics.filter((diagnostic) => !(diagnostic instanceof Reference));
  return {
    problems: collectProblems(problems, new Map()),
    steps: read.steps,
    referenceCount,
    hint: stepsHint(read.steps),
  };
}
