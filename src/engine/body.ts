import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import type { Field, Fields } from './fields.ts';
import { Problem, titleize } from './kinds.ts';

export type Body = Readonly<Record<string, unknown>>;

/** What was read of a body: stored values of the fields that count as sent (on create also the defaults), failures, and sentences of the model. */
export interface ParsedBody {
  readonly values: Record<string, unknown>;
  readonly failures: FieldFailures;
  readonly modelProblems: string[];
}

type Mode = 'create' | 'update';

/** Whether a null that is sent for this field is a failure; else it is stored or counts as not sent. [reference: input coercion] */
export const rejectsNull = ({ traits }: Field, mode: Mode): boolean =>
  traits.rejectsNull === 'always' ||
  (mode === 'create' && (traits.rejectsNull === 'on create' || (traits.isRequired && !traits.isNullable)));

const isWritable = (field: Field, mode: Mode): boolean =>
  field.traits.writability === 'always' || field.traits.writability === `on ${mode}`;

/** Reads the fields of a body: unknown and read-only keys are ignored, all failures are gathered. [reference: input coercion] */
export function parseBody(fields: Fields, body: Body, mode: Mode, how: 'filter' | 'cast' = 'filter'): ParsedBody {
  const reading: ParsedBody = { values: {}, failures: {}, modelProblems: [] };
  for (const name in fields) {
    const field = fields[name];
    if (!field || field.traits.isDerived) continue;
    const sent = isWritable(field, mode) && Object.hasOwn(body, name) ? body[name] : undefined;
    const value = how === 'filter' ? parseValue(field, name, sent, mode) : castValue(field, name, sent, mode);
    if (value instanceof Problem) addProblem(reading, name, value);
    else if (value !== undefined) {
      const broken = value === null ? null : firstProblem(field, name, value);
      if (broken) addProblem(reading, name, broken);
      else reading.values[name] = value;
    } else if (mode === 'create' && field.traits.default !== undefined) reading.values[name] = field.traits.default;
    else if (mode === 'create' && field.traits.canBeNull) reading.values[name] = null;
  }
  return reading;
}

/** Throws what the reading found: failing fields first, then the model's sentences together. */
export function assertValid(reading: ParsedBody, further: FieldFailures = {}): void {
  const failures = { ...reading.failures, ...further };
  if (Object.keys(failures).length > 0) throw invalid(failures);
  if (reading.modelProblems.length > 0) throw refused(reading.modelProblems.join(' '));
}

function addProblem(reading: ParsedBody, name: string, problem: Problem): void {
  if (problem.level === 'field') reading.failures[name] = problem.failure;
  else reading.modelProblems.push(String(problem.failure));
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

/** undefined: counts as not sent. */
function parseValue(field: Field, name: string, sent: unknown, mode: Mode): unknown {
  const { traits } = field;
  if (sent === undefined) {
    if (mode === 'create' && traits.isRequired) return new Problem(`${titleize(name)} is required.`);
    return undefined;
  }
  if (sent === null) {
    if (traits.isNullable) return null;
    if (rejectsNull(field, mode)) return new Problem(`${titleize(name)} must not be null.`);
    return undefined;
  }
  if (sent === '' && traits.empty === 'null') return null;
  if (sent === '' && field.kind.column !== 'text') return new Problem(`${titleize(name)} must not be blank.`);
  const value = field.kind.parse(sent, name);
  if (value === '' && traits.empty !== 'kept')
    return traits.empty === 'null' ? null : new Problem(`${titleize(name)} must not be blank.`);
  return value;
}

function castValue(field: Field, name: string, sent: unknown, mode: Mode): unknown {
  const { traits } = field;
  const isMissing = sent === undefined || (sent === null && !traits.isNullable);
  if (isMissing)
    return mode === 'create' && traits.isRequired ? new Problem(`${titleize(name)} is required.`) : undefined;
  if (sent === null) return null;
  const value = field.kind.cast(sent, name);
  if (value === null && !traits.isNullable) return new Problem(`${titleize(name)} must not be blank.`);
  return value;
}
