import Type from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Kind } from '../engine/kinds.ts';
import { bigintKind, fieldProblem, modelProblem, Problem } from '../engine/kinds.ts';

/** Values by day number. */
export type CurveData = Record<string, number>;

/** Characters that a curve's data may take, counted as the reference encodes them: 35 to 60 entries. */
const maxLength = 500;

const baseLength = 56;
const lengthPerEntry = 5;

const tooLong = (name: string): Problem => modelProblem(name, 'has too many entries');

function parse(value: unknown, name: string): CurveData | Problem {
  if (!isObject(value)) return fieldProblem(name, 'must be an object');
  const entries: [string, number][] = [];
  const failures: [string, string][] = [];
  let length = baseLength;
  for (const key in value) {
    const sent = value[key];
    if (sent === null) continue;
    // What is too long by its keys alone is not looked at further: what is wrong with it would be a long answer.
    length += key.length + lengthPerEntry;
    if (length > maxLength) return tooLong(name);
    const number = bigintKind.parse(sent, key);
    if (!(number instanceof Problem)) entries.push([key, number]);
    else if (number.level === 'model') return number;
    else failures.push([key, String(number.failure)]);
  }
  // fromEntries, unlike an assignment, makes an ordinary key of `__proto__`.
  if (failures.length > 0) return new Problem(Object.fromEntries(failures) satisfies FieldFailures);
  for (const [, number] of entries) length += String(number).length;
  return length > maxLength ? tooLong(name) : Object.fromEntries(entries);
}

/** Any key, whole numbers as values; a null value drops its key. [reference: curves] */
export const curveDataKind: Kind<CurveData> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Record(Type.String(), Type.Integer()),
  input: Type.Record(Type.String(), Type.Union([bigintKind.input, Type.Null()])),
};
