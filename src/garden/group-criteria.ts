import type { FieldFailure, FieldFailures } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, floatKind, integerKind, modelProblem, Problem } from '../engine/kinds.ts';
import { parseStrictList } from '../engine/strict-list.ts';
import { say } from './messages.ts';

/** The criteria for further points of a group besides its members. Evaluated by clients; keys like `meta.a` refer to a point's `meta`. */
export interface Criteria {
  day: { op: '<' | '>'; days_ago: number };
  string_eq: Record<string, string[]>;
  number_eq: Record<string, number[]>;
  number_lt: Record<string, number>;
  number_gt: Record<string, number>;
}

/** No criteria. [rule G13] */
export const noCriteria: Criteria = {
  day: { op: '<', days_ago: 0 },
  string_eq: {},
  number_eq: {},
  number_lt: {},
  number_gt: {},
};

/** The limits of all parts together. */
const max = { names: 100, values: 1000, characters: 10_000 };

const tooLarge = (name: string): Problem => modelProblem(name, say.criteriaSize, max.names, max.values, max.characters);

/** Whether the parts exceed the limits; checked first, so that the failures of a large body do not become a large reply. */
function exceedsMax(parts: readonly unknown[]): boolean {
  let [names, values, characters] = [0, 0, 0];
  for (const part of parts) {
    if (!isObject(part)) continue;
    for (const name in part) {
      const value = part[name];
      names += 1;
      values += Array.isArray(value) ? value.length : 1;
      characters += name.length;
      if (names > max.names || values > max.values || characters > max.characters) return true;
    }
  }
  return false;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** The parsed value of a part, or its failure. */
interface Part<T> {
  readonly value: T;
  readonly failure: FieldFailure | null;
}

/** Parses a value for each name; null drops the name. */
function parseByName<T>(
  sent: unknown,
  name: string,
  parseOne: (value: unknown, name: string) => T | Problem,
): Part<Record<string, T>> {
  if (sent === undefined || sent === null) return { value: {}, failure: null };
  if (!isObject(sent)) return { value: {}, failure: fieldProblem(name, sayOfField.object).failure };
  const values: [string, T][] = [];
  const failures: [string, FieldFailure][] = [];
  for (const [key, inner] of Object.entries(sent)) {
    if (inner === null) continue;
    const value = parseOne(inner, key);
    if (value instanceof Problem) failures.push([key, value.failure]);
    else values.push([key, value]);
  }
  const failed: FieldFailures = Object.fromEntries(failures);
  return { value: Object.fromEntries(values), failure: failures.length > 0 ? failed : null };
}

function parseDay(sent: unknown): Part<Criteria['day']> {
  const { day } = noCriteria;
  if (sent === undefined || sent === null) return { value: day, failure: null };
  if (!isObject(sent)) return { value: day, failure: sayOfField.object(labelOf('day')) };
  const failures: FieldFailures = {};
  const op = sent.op ?? day.op;
  if (op !== '<' && op !== '>') failures.op = say.operator;
  const days = integerKind.parse(sent.days_ago ?? day.days_ago, 'days_ago');
  if (days instanceof Problem) failures.days_ago = days.failure;
  return {
    value: { op: op === '>' ? '>' : '<', days_ago: days instanceof Problem ? 0 : days },
    failure: Object.keys(failures).length > 0 ? failures : null,
  };
}

const texts = (value: unknown, name: string) => parseStrictList(value, name, isText, sayOfField.textElement);
const numbers = (value: unknown, name: string) => parseStrictList(value, name, isNumber, sayOfField.numberElement);
const number = (value: unknown, name: string) => floatKind.parse(value, name);

function parse(sent: unknown, name: string): Criteria | Problem {
  if (!isObject(sent)) return fieldProblem(name, sayOfField.object);
  const { day, string_eq, number_eq, number_lt, number_gt } = sent;
  if (exceedsMax([string_eq, number_eq, number_lt, number_gt])) return tooLarge(name);
  const parts = {
    day: parseDay(day),
    string_eq: parseByName(string_eq, 'string_eq', texts),
    number_eq: parseByName(number_eq, 'number_eq', numbers),
    number_lt: parseByName(number_lt, 'number_lt', number),
    number_gt: parseByName(number_gt, 'number_gt', number),
  };
  const failures: FieldFailures = {};
  for (const [part, { failure }] of Object.entries(parts)) if (failure !== null) failures[part] = failure;
  if (Object.keys(failures).length > 0) return new Problem(failures);
  const criteria: Criteria = {
    day: parts.day.value,
    string_eq: parts.string_eq.value,
    number_eq: parts.number_eq.value,
    number_lt: parts.number_lt.value,
    number_gt: parts.number_gt.value,
  };
  return JSON.stringify(criteria).length > max.characters ? tooLarge(name) : criteria;
}

const texted = Type.Record(Type.Array(Type.String()));
const numbered = Type.Record(Type.Array(Type.Number()));
const compared = Type.Record(floatKind.output);
const day = Type.Object({ op: Type.OneOf(['<', '>']), days_ago: integerKind.output });

/** [rule G12] */
export const criteriaKind: Kind<Criteria> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Object({
    day,
    string_eq: texted,
    number_eq: numbered,
    number_lt: compared,
    number_gt: compared,
  }),
  input: Type.Object({
    day: Type.Optional(day),
    string_eq: Type.Optional(texted),
    number_eq: Type.Optional(numbered),
    number_lt: Type.Optional(compared),
    number_gt: Type.Optional(compared),
  }),
};
