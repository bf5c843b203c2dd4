import Type from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import type { Kind } from '../engine/kinds.ts';
import { bigintKind, Problem, told, toldByModel } from '../engine/kinds.ts';

/** Values by day number. */
export type CurveData = Record<string, number>;

/** Characters that a curve's data may take, counted as the reference encodes them: 35 to 60 entries. */
const longestData = 500;

const encodedLength = (data: CurveData): number =>
  Object.entries(data).reduce((sum, [key, value]) => sum + key.length + String(value).length + 5, 56);

function filter(value: unknown, name: string): CurveData | Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return told(name, 'must be an object');
  const entries: [string, number][] = [];
  const failures: [string, string][] = [];
  for (const [key, sent] of Object.entries(value)) {
    if (sent === null) continue;
    const number = bigintKind.filter(sent, key);
    if (!(number instanceof Problem)) entries.push([key, number]);
    else if (number.level === 'model') return number;
    else failures.push([key, String(number.failure)]);
  }
  // fromEntries, unlike an assignment, makes an ordinary key of `__proto__`.
  if (failures.length > 0) return new Problem(Object.fromEntries(failures) satisfies FieldFailures);
  const data = Object.fromEntries(entries);
  return encodedLength(data) > longestData ? toldByModel(name, 'has too many entries') : data;
}

/** Any key, whole numbers as values; a null value drops its key. [reference: curves] */
export const curveDataKind: Kind<CurveData> = {
  column: 'json',
  filter,
  cast: filter,
  output: Type.Record(Type.String(), Type.Integer()),
  input: Type.Record(Type.String(), Type.Union([bigintKind.input, Type.Null()])),
};
