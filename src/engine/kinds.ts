import type { FieldFailure } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { parseTime } from '../core/time-formats.ts';
import type { ColumnType } from '../db/columns.ts';
import { labelOf } from './field-label.ts';
import { sayOfField } from './field-messages.ts';
import type { JsonSchema } from './json-schema.ts';
import { Type } from './json-schema.ts';

/**
 * The reason why a value is rejected. `field`: reported under the field's key. `model`: reported under `error`, and only if no field
 * failed. [rule V15]
 */
export class Problem {
  readonly level: 'field' | 'model';
  readonly failure: FieldFailure;
  /** Returns the failure of a field that people know by this label. */
  readonly about: (label: Message) => FieldFailure;

  constructor(
    failure: FieldFailure,
    level: Problem['level'] = 'field',
    about: (label: Message) => FieldFailure = () => failure,
  ) {
    this.failure = failure;
    this.level = level;
    this.about = about;
  }
}

/** The type of a field: its column, the conversion of sent values, and the schemas. */
export interface Kind<T> {
  readonly column: ColumnType;
  /** Converts a sent value, never null or undefined, to the stored one. Problems name the field by `name`. */
  parse(value: unknown, name: string): T | Problem;
  /** Converts more loosely, as the configs do; null if the value has no meaning. [rule V14] */
  cast(value: unknown, name: string): T | null | Problem;
  /** JSON Schema of the value in replies. */
  readonly output: JsonSchema;
  /** JSON Schema of the value in requests, in the form that clients should send; more is accepted. [ADR 45] */
  readonly input: JsonSchema;
}

/** A sentence about a field, which gets the field's name. */
export type FieldSentence<V extends readonly unknown[]> = (label: Message, ...values: V) => Message;

function namedProblem<V extends readonly unknown[]>(
  level: Problem['level'],
  name: string,
  sentence: FieldSentence<V>,
  values: V,
): Problem {
  const about = (label: Message): Message => sentence(label, ...values);
  return new Problem(about(labelOf(name)), level, about);
}

/** Returns a problem whose message names the field. */
export const fieldProblem = <V extends readonly unknown[]>(
  name: string,
  sentence: FieldSentence<V>,
  ...values: V
): Problem => namedProblem('field', name, sentence, values);
export const modelProblem = <V extends readonly unknown[]>(
  name: string,
  sentence: FieldSentence<V>,
  ...values: V
): Problem => namedProblem('model', name, sentence, values);

// A run of control characters other than CR, LF and TAB becomes one space. [rule V9]
// biome-ignore lint/suspicious/noControlCharactersInRegex: this looks for control characters
const controlCharacterRuns = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+/g;

/** Returns text as fields store it: trimmed, with spaces instead of control characters. */
export const cleanText = (text: string): string => text.replace(controlCharacterRuns, ' ').trim();

/** The JSON Schema keyword of text that must not be blank. */
export const notBlank = { pattern: '[^\\s\\u0000-\\u001f\\u007f]' } as const;

export const textKind: Kind<string> = {
  column: 'text',
  parse(value, name) {
    if (typeof value === 'string') return cleanText(value);
    if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
    return fieldProblem(name, sayOfField.text);
  },
  cast(value, name) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return fieldProblem(name, sayOfField.text);
  },
  output: Type.String(),
  input: Type.String(),
};

export const minInt32 = -2_147_483_648;
export const maxInt32 = 2_147_483_647;

/** Matches leading digits; the rest is ignored. [rule V10] */
const wholeNumber = /^-?\d+/;

function integerWithin(low: number, high: number): Kind<number> {
  const inRange = (value: number, name: string): number | Problem =>
    value < low || value > high ? modelProblem(name, sayOfField.between, low, high) : value;
  return {
    column: high > maxInt32 ? 'bigint' : 'integer',
    parse(value, name) {
      if (typeof value === 'number')
        return Number.isInteger(value) ? inRange(value, name) : fieldProblem(name, sayOfField.wholeNumber);
      if (typeof value === 'string') {
        const digits = wholeNumber.exec(value.trim());
        if (digits) return inRange(Number(digits[0]), name);
      }
      return fieldProblem(name, sayOfField.wholeNumber);
    },
    // Robots send fractional heights, and drop their own copy of a rejected record. [decision 51]
    cast(value, name) {
      if (typeof value === 'boolean') return value ? 1 : 0;
      if (value === '') return null;
      if (typeof value === 'number') return inRange(Math.trunc(value), name);
      if (typeof value === 'string') {
        const number = Number.parseFloat(value);
        return Number.isNaN(number) ? 0 : inRange(Math.trunc(number), name);
      }
      return fieldProblem(name, sayOfField.wholeNumber);
    },
    output: Type.Integer({ minimum: low, maximum: high }),
    input: Type.Integer({ minimum: low, maximum: high }),
  };
}

export const integerKind = integerWithin(minInt32, maxInt32);
/** JSON Schema of an id. */
export const idSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** For ids and other integers that may exceed 32 bits. */
export const bigintKind = integerWithin(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** Matches a leading number; the rest is ignored. [rule V11] */
const decimalNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/;

/** Larger numbers lose integer precision in the databases and in clients. */
const maxMagnitude = Number.MAX_SAFE_INTEGER;
const checkMagnitude = (value: number, name: string): number | Problem =>
  Math.abs(value) > maxMagnitude ? modelProblem(name, sayOfField.between, -maxMagnitude, maxMagnitude) : value;

export const floatKind: Kind<number> = {
  column: 'float',
  parse(value, name) {
    const number =
      typeof value === 'number'
        ? value
        : typeof value === 'string'
          ? Number.parseFloat(decimalNumber.exec(value.trim())?.[0] ?? 'none')
          : Number.NaN;
    return Number.isFinite(number) ? checkMagnitude(number, name) : fieldProblem(name, sayOfField.number);
  },
  cast(value, name) {
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (value === '') return null;
    const number = typeof value === 'string' ? Number.parseFloat(value) || 0 : value;
    return typeof number === 'number' && Number.isFinite(number)
      ? checkMagnitude(number, name)
      : fieldProblem(name, sayOfField.number);
  },
  output: Type.Number({ minimum: -maxMagnitude, maximum: maxMagnitude }),
  input: Type.Number({ minimum: -maxMagnitude, maximum: maxMagnitude }),
};

const castFalse = new Set(['0', 'f', 'false', 'off']);

/** [rule V12] */
export const booleanKind: Kind<boolean> = {
  column: 'boolean',
  parse(value, name) {
    if (typeof value === 'boolean') return value;
    const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (text === 1 || text === '1' || text === 'true') return true;
    if (text === 0 || text === '0' || text === 'false') return false;
    return fieldProblem(name, sayOfField.truth);
  },
  cast(value) {
    if (value === '') return null;
    if (typeof value === 'string') return !castFalse.has(value.toLowerCase());
    return value !== false && value !== 0;
  },
  output: Type.Boolean(),
  input: Type.Boolean(),
};

/** JSON Schema of a stored time. */
export const timeSchema = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
});

export const timeKind: Kind<string> = {
  column: 'time',
  parse(value, name) {
    const time = typeof value === 'string' ? parseTime(value) : null;
    return time ?? fieldProblem(name, sayOfField.time);
  },
  cast(value) {
    return typeof value === 'string' ? parseTime(value) : null;
  },
  output: timeSchema,
  input: Type.String({ format: 'date-time' }),
};

/** A time that is stored as text. */
export const timeTextKind: Kind<string> = {
  ...timeKind,
  column: 'text',
  cast: (value, name) => (value === '' ? null : timeKind.parse(value, name)),
};

/** One of a fixed list of integers or strings. */
export function choiceKind<const V extends string | number>(values: readonly V[]): Kind<V> {
  const base: Kind<string> | Kind<number> = typeof values[0] === 'number' ? integerKind : textKind;
  const chosen = (value: string | number | null | Problem, name: string): V | null | Problem => {
    if (value === null || value instanceof Problem) return value;
    return values.find((one) => one === value) ?? fieldProblem(name, sayOfField.oneOf, values.join(', '));
  };
  const choices = Type.OneOf(values);
  return {
    column: base.column,
    parse(value, name) {
      const filtered = base.parse(value, name);
      const one = chosen(filtered, name);
      return one ?? fieldProblem(name, sayOfField.oneOf, values.join(', '));
    },
    cast: (value, name) => chosen(base.cast(value, name), name),
    output: choices,
    input: choices,
  };
}
