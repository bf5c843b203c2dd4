import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, modelProblem, type Problem } from '../engine/kinds.ts';

/** A map of strings. */
export type StringMap = Readonly<Record<string, string>>;

/** The maximum size of keys and values together, in bytes of UTF-8. [rule G22] */
const maxBytes = 2700;

const entryBytes = (key: string, value: string): number => Buffer.byteLength(key) + Buffer.byteLength(value);

const sizeLimitProblem = (name: string): Problem => modelProblem(name, sayOfField.maxSize, maxBytes);

/** Returns the problem of a map that is too large, or null. */
export function sizeProblem(map: StringMap, label: Message): Message | null {
  let bytes = 0;
  for (const [key, value] of Object.entries(map)) bytes += entryBytes(key, value);
  return bytes > maxBytes ? sayOfField.maxSize(label, maxBytes) : null;
}

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
};

function parse(value: unknown, name: string): StringMap | Problem {
  // Some clients encode an empty map as an empty list.
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) return fieldProblem(name, sayOfField.object);
  const entries: [string, string][] = [];
  let bytes = 0;
  for (const key in value) {
    const text = toText(value[key]);
    bytes += entryBytes(key, text);
    if (bytes > maxBytes) return sizeLimitProblem(name);
    entries.push([key, text]);
  }
  return Object.fromEntries(entries);
}

/** A flat map whose values become strings: 1 → `"1"`, true → `"true"`, null → `""`. Robots compare them as strings. [rule G22, decision 13] */
export const stringMapKind: Kind<StringMap> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Record(Type.String()),
  input: Type.Record(Type.String()),
};
