import { isDeepStrictEqual } from 'node:util';
import { deviceFields } from '../../src/device/device-fields.ts';
import type { Field } from '../../src/engine/fields.ts';
import { resources } from '../../src/resources.ts';
import { isObject, type Json } from '../support/json.ts';

/** A value saved from an earlier response. */
export interface Variable {
  readonly value: Json;
  /** The resource it belongs to, as in paths: `points`. */
  readonly family: string;
}

/** The context in which {@link normalize} reads a response. */
export interface NormalizationContext {
  readonly variables: ReadonlyMap<string, Variable>;
  /** The requested resource, as in paths. */
  readonly family: string;
  readonly status: number;
  /** Patterns of paths whose values are ignored: `$`, `$.token.iat`, `$[*].url`, `$.*[*][*]`. */
  readonly any: readonly string[];
  /** Times that are compared exactly. */
  readonly exactTimes: ReadonlySet<string>;
}

const isoTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|UTC|[+-]\d\d:?\d\d))?$/;
const jwt = /^eyJ[\w-]+(\.[\w-]+){2}$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The resource that a `…_id` refers to; others may refer to any. */
const familyOfKey = new Map([
  ['curve_id', 'curves'],
  ['device_id', 'device'],
  ['farmware_installation_id', 'farmware_installations'],
  ['folder_id', 'folders'],
  ['height_curve_id', 'curves'],
  ['mounted_tool_id', 'tools'],
  ['peripheral_id', 'peripherals'],
  ['point_group_id', 'point_groups'],
  ['point_id', 'points'],
  ['pointer_id', 'points'],
  ['regimen_id', 'regimens'],
  ['saved_garden_id', 'saved_gardens'],
  ['sensor_id', 'sensors'],
  ['sequence_id', 'sequences'],
  ['spread_curve_id', 'curves'],
  ['tool_id', 'tools'],
  ['user_id', 'users'],
  ['water_curve_id', 'curves'],
]);

/** Returns the name of a resource in paths. A config's differs from its table's. */
const familyOf = (resource: (typeof resources)[number]): string =>
  ('path' in resource ? String(resource.path) : resource.name).replace('/api/', '');

/** The resources in paths by their names in the change log. */
export const familyOfName: ReadonlyMap<string, string> = new Map([
  ['Device', 'device'],
  ['User', 'users'],
  ...resources.flatMap((resource): [string, string][] => {
    const { changeLogName } = resource.options;
    return changeLogName ? [[changeLogName, familyOf(resource)]] : [];
  }),
]);

/** The fields of each resource that are declared as additions: the recorded version does not have them. [decision 24, 66] */
const addedFields: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [['device', deviceFields] as const, ...resources.map((each) => [familyOf(each), each.fields] as const)].map(
    ([family, fields]) => [
      family,
      new Set(Object.entries<Field>(fields).flatMap(([name, { traits }]) => (traits.isAddition ? [name] : []))),
    ],
  ),
);

/** Resources that are declared as additions, whose lists exports have. */
const addedLists: ReadonlySet<string> = new Set(
  resources.filter(({ options }) => options.addition).map(({ name }) => name),
);

/** Returns the resource of the records below a key; null: there are none. */
function familyBelow(parent: Readonly<Record<string, Json>>, key: string, family: string | null): string | null {
  if (typeof parent.topic === 'string')
    return familyOfName.get(/\/sync\/(\w+)\//.exec(parent.topic)?.[1] ?? '') ?? null;
  // The content of an announcement, whose topic names the resource.
  if (key === 'body' && isObject(parent.args)) return family;
  return addedFields.has(key) ? key : null;
}

/** Replaces values that differ between runs (ids, times, tokens, addresses, error messages) by placeholders, and sorts keys. */
export function normalize(value: Json, context: NormalizationContext): Json {
  const skipped = context.any.map(placePattern);
  return visit(value, '', '$');

  function visit(here: Json, key: string, place: string): Json {
    if (skipped.some((pattern) => pattern.test(place))) return '<any>';
    if (Array.isArray(here)) {
      const elementKey = key.replace(/_ids$/, '_id');
      return here.map((element, index) => visit(element, elementKey, `${place}[${index}]`));
    }
    if (isObject(here)) {
      const keys = Object.keys(here).sort();
      return Object.fromEntries(keys.map((each) => [each, visit(here[each] ?? null, each, `${place}.${each}`)]));
    }
    if (typeof here === 'number') return normalizeNumber(here, key, context);
    if (typeof here === 'string') return normalizeText(here, place, context);
    return here;
  }
}

function placePattern(pattern: string): RegExp {
  const parts = pattern.split(/(\[\*\]|\*)/).map((part) => {
    if (part === '[*]') return '\\[\\d+\\]';
    if (part === '*') return '[^.[]+';
    return part.replace(/[.$[\]]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

function normalizeNumber(value: number, key: string, { variables, family }: NormalizationContext): Json {
  if (/(_at|_time)$/.test(key) && value > 1e9) return '<unix>';
  const isOwn = key === 'id';
  if (!isOwn && !key.endsWith('_id')) return value;
  const same = [...variables].filter(([, variable]) => variable.value === value);
  const expectedFamily = isOwn ? family : familyOfKey.get(key);
  const related = same.filter(([, variable]) => variable.family === expectedFamily);
  // In a new database, ids of different resources coincide: all matching names are given.
  const fitting = related.length > 0 || isOwn ? related : same;
  if (fitting.length > 0) return fitting.map(([name]) => `{{${name}}}`).join('|');
  return value > 0 ? '<id>' : value;
}

function normalizeText(value: string, place: string, { variables, status, exactTimes }: NormalizationContext): Json {
  if (isoTime.test(value) && !exactTimes.has(value)) return '<time>';
  if (jwt.test(value)) return '<jwt>';
  if (uuid.test(value)) return '<uuid>';
  if (status >= 400 && place !== '$') return '<text>';
  let text = value;
  for (const [name, variable] of variables) {
    if (name.endsWith('.email')) text = text.replaceAll(String(variable.value), `{{${name}}}`);
  }
  return text;
}

/** Describes the differences between an expected and a normalized value. `family`: the resource of the records in it. */
export function differences(expected: Json, actual: Json, family: string | null = null, place = '$'): string[] {
  if (expected === '<any>') return [];
  if (expected === '<text>') {
    return typeof actual === 'string' && actual !== '' ? [] : [`${place}: wanted some text, got ${shorten(actual)}`];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return [`${place}: wanted ${expected.length} items, got ${actual.length}`];
    return expected.flatMap((each, index) => differences(each, actual[index] ?? null, family, `${place}[${index}]`));
  }
  if (isObject(expected) && isObject(actual)) {
    const missing = Object.entries(expected).flatMap(([key, value]) => {
      const found = actual[key];
      if (found !== undefined) {
        return differences(value, found, familyBelow(expected, key, family), `${place}.${key}`);
      }
      return value === '<any>' ? [] : [`${place}.${key}: missing`];
    });
    const isAdded = (key: string): boolean =>
      addedFields.get(family ?? '')?.has(key) === true || (addedLists.has(key) && Array.isArray(actual[key]));
    const additional = Object.keys(actual).filter((key) => !Object.hasOwn(expected, key) && !isAdded(key));
    return [...missing, ...additional.map((key) => `${place}.${key}: unexpected, and not declared as addition()`)];
  }
  if (isDeepStrictEqual(expected, actual) || isSameName(expected, actual)) return [];
  return [`${place}: wanted ${shorten(expected)}, got ${shorten(actual)}`];
}

/** Like {@link differences}, for lists in any order: each expected item must match a different actual item. */
export function unorderedDifferences(
  expected: Json,
  actual: Json,
  family: string | null = null,
  place = '$',
): string[] {
  if (!Array.isArray(expected) || !Array.isArray(actual) || expected.length !== actual.length) {
    return differences(expected, actual, family, place);
  }
  const left = [...actual];
  return expected.flatMap((each, index) => {
    const partner = left.findIndex((candidate) => differences(each, candidate, family).length === 0);
    if (partner === -1) return [`${place}[${index}]: wanted ${shorten(each)}, which is not in ${shorten(left)}`];
    left.splice(partner, 1);
    return [];
  });
}

const names = /^\{\{[\w.]+\}\}(\|\{\{[\w.]+\}\})*$/;

function isSameName(expected: Json, actual: Json): boolean {
  if (typeof expected !== 'string' || typeof actual !== 'string' || !names.test(actual)) return false;
  if (expected === '<id>') return true;
  const accepted = names.test(expected) ? expected.split('|') : [];
  return actual.split('|').some((name) => accepted.includes(name));
}

/** JSON text, truncated if it is long. */
export function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
