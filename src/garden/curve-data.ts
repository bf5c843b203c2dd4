import type { FieldFailure, FieldFailures } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { bigintKind, fieldProblem, modelProblem, Problem } from '../engine/kinds.ts';
import { say } from './messages.ts';

/** Values by day number. */
export type CurveData = Record<string, number>;

/** The maximum length of a curve's data in a text encoding. [rule G5] */
const maxLength = 500;

const baseLength = 56;
const lengthPerEntry = 5;

const tooLong = (name: string): Problem => modelProblem(name, say.manyEntries);

function parse(value: unknown, name: string): CurveData | Problem {
  if (!isObject(value)) return fieldProblem(name, sayOfField.object);
  const entries: [string, number][] = [];
  const failures: [string, FieldFailure][] = [];
  let length = baseLength;
  for (const key in value) {
    const sent = value[key];
    if (sent === null) continue;
    // Checked by keys first, so that the failures of a large body do not become a large reply.
    length += key.length + lengthPerEntry;
    if (length > maxLength) return tooLong(name);
    const number = bigintKind.parse(sent, key);
    if (!(number instanceof Problem)) entries.push([key, number]);
    else if (number.level === 'model') return number;
    else failures.push([key, number.failure]);
  }
  // Unlike an assignment, fromEntries makes `__proto__` an ordinary key.
  if (failures.length > 0) return new Problem(Object.fromEntries(failures) satisfies FieldFailures);
  for (const [, number] of entries) length += String(number).length;
  return length > maxLength ? tooLong(name) : Object.fromEntries(entries);
}

/** Integers by any key; a null drops its key. [rule G5] */
export const curveDataKind: Kind<CurveData> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Record(Type.Integer()),
  input: Type.Record(bigintKind.input),
};
