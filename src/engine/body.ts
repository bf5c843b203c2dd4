import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import { Message, sentences } from '../core/message.ts';
import { labelOf } from './field-label.ts';
import { sayOfField } from './field-messages.ts';
import type { Field, Fields } from './fields.ts';
import { fieldProblem, Problem } from './kinds.ts';
import { titleOf } from './labels.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The values to store, and the problems. On create the values include defaults. */
export interface ParsedBody {
  readonly values: Record<string, unknown>;
  readonly failures: FieldFailures;
  /** By field. */
  readonly modelProblems: Record<string, Message>;
}

type Mode = 'create' | 'update';

/** Whether a null for this field is an error; otherwise it is stored or counts as not sent. [rule V8, decision 5] */
const rejectsNull = ({ traits }: Field, mode: Mode): boolean =>
  traits.null === 'refused' || traits.null === `refused on ${mode}`;

const isWritable = (field: Field, mode: Mode): boolean =>
  field.traits.writability === 'always' || field.traits.writability === `on ${mode}`;

/** Parses the fields of a body. Unknown and read-only keys are ignored; all problems are collected. [rule V2, V7] */
export function parseBody(fields: Fields, body: Body, mode: Mode, coercion: 'parse' | 'cast' = 'parse'): ParsedBody {
  const parsed: ParsedBody = { values: {}, failures: {}, modelProblems: {} };
  for (const name in fields) {
    const field = fields[name];
    if (!field || field.traits.isDerived) continue;
    const sent = isWritable(field, mode) && Object.hasOwn(body, name) ? body[name] : undefined;
    const value = coercion === 'parse' ? parseValue(field, name, sent, mode) : castValue(field, name, sent, mode);
    if (value instanceof Problem) addProblem(parsed, name, field, value);
    else if (value !== undefined) {
      const problem = value === null ? null : firstProblem(field, name, value);
      if (problem) addProblem(parsed, name, field, problem);
      else parsed.values[name] = value;
    } else if (mode === 'create') {
      const { absence } = field.traits;
      if (absence === 'null') parsed.values[name] = null;
      else if (typeof absence === 'object') parsed.values[name] = absence.default;
    }
  }
  return parsed;
}

/** Throws 422 with the problems of fields, including `further`, or else with the model's in one sentence. */
export function assertValid(parsed: ParsedBody, further: FieldFailures = {}): void {
  const failures = { ...parsed.failures, ...further };
  if (Object.keys(failures).length > 0) throw invalid(failures);
  const { modelProblems } = parsed;
  if (Object.keys(modelProblems).length > 0) throw refused(sentences(Object.values(modelProblems)), modelProblems);
}

function addProblem(parsed: ParsedBody, name: string, field: Field, problem: Problem): void {
  const failure = problem.about(labelOf(name, titleOf(field)));
  if (problem.level === 'model' && failure instanceof Message) parsed.modelProblems[name] = failure;
  else parsed.failures[name] = failure;
}

function firstProblem(field: Field, name: string, value: unknown): Problem | null {
  const { length, checks } = field.traits;
  const tooLong = length?.(value as never, name);
  if (tooLong) return tooLong;
  for (const check of checks) {
    const problem = check(value as never, name);
    if (problem) return problem;
  }
  return null;
}

/** Returns undefined if the value counts as not sent. */
function parseValue(field: Field, name: string, sent: unknown, mode: Mode): unknown {
  const { traits } = field;
  if (sent === undefined) {
    if (mode === 'create' && traits.absence === 'refused') return fieldProblem(name, sayOfField.required);
    return undefined;
  }
  if (sent === null) {
    if (traits.null === 'stored') return null;
    if (rejectsNull(field, mode)) return fieldProblem(name, sayOfField.notNull);
    return undefined;
  }
  if (sent === '' && traits.empty === 'null') return null;
  if (sent === '' && field.kind.column !== 'text') return fieldProblem(name, sayOfField.notBlank);
  const value = field.kind.parse(sent, name);
  if (value === '' && traits.empty !== 'kept')
    return traits.empty === 'null' ? null : fieldProblem(name, sayOfField.notBlank);
  return value;
}

function castValue(field: Field, name: string, sent: unknown, mode: Mode): unknown {
  const { traits } = field;
  const value = sent === undefined || sent === null ? sent : field.kind.cast(sent, name);
  // A blank number or boolean is a null, too. [decision 54]
  const isMissing = value === undefined || (value === null && traits.null !== 'stored');
  if (!isMissing) return value;
  return mode === 'create' && traits.absence === 'refused' ? fieldProblem(name, sayOfField.required) : undefined;
}
