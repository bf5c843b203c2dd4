import type { FieldFailure, FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import type { Call, RequestHeaders, Route } from '../engine/route.ts';
import { requestBodyOf } from './request-body.ts';

/** Maximum number of unknown names that a failure reports: each lists the known ones. */
const maxReported = 100;

/** The preference that was applied, as the response names it. */
export const strictHandling = 'handling=strict';

/** Whether the client wants requests refused that contain unknown names and values: `Prefer: handling=strict` (RFC 7240). [ADR 118] */
export function isStrict({ headers }: RequestHeaders): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = String(prefer)
    .split(',')
    .map((each) => /^\s*([^\s=;]+)\s*(?:=\s*"?([^\s";]*)"?)?/.exec(each) ?? []);
  // The first one of a name counts.
  const [, , handling = ''] = preferences.find(([, name]) => name?.toLowerCase() === 'handling') ?? [];
  return handling.toLowerCase() === 'strict';
}

type Schemas = Readonly<Record<string, JsonSchema>>;

const schemasIn = (value: unknown): Schemas => (isObject(value) ? (value as Schemas) : {});

const listIn = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value : []);

/** Returns a function that computes a value once for each object, as a list may have thousands of elements of one schema. */
function oncePer<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/** Returns the alternatives that a schema names; itself if it names none. */
const allAlternatives = oncePer((schema: JsonSchema): readonly JsonSchema[] => {
  const named = schemasIn(schema.$defs);
  const all = [...listIn(schema.oneOf), ...listIn(schema.anyOf)].map((each) => named[String(each.$ref)] ?? each);
  return all.length === 0 ? [named[String(schema.$ref)] ?? schema] : all;
});

/** Returns the schemas of a value: alternatives, of which a discriminator selects one. */
function alternativesOf(schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const all = allAlternatives(schema);
  const { discriminator } = schema;
  const property = isObject(discriminator) ? String(discriminator.propertyName) : '';
  const chosen = all.filter((each) => {
    const constant = schemasIn(each.properties)[property]?.const;
    return isObject(value) && constant !== undefined && constant === value[property];
  });
  return chosen.length > 0 ? chosen : all;
}

const isOpen = ({ properties, additionalProperties }: JsonSchema): boolean =>
  !isObject(properties) || (additionalProperties !== false && additionalProperties !== undefined);

/** Returns the names that values of these alternatives may have, with the schemas of their values; null: any. */
const namesIn = oncePer((alternatives: readonly JsonSchema[]): { readonly names: Schemas | null } => {
  const objects = alternatives.filter((each) => each.type !== 'null');
  const isAny = objects.length === 0 || objects.some(isOpen);
  return { names: isAny ? null : Object.assign({}, ...objects.map(({ properties }) => properties)) };
});

const namesOf = (schema: JsonSchema, value: unknown): Schemas | null => namesIn(alternativesOf(schema, value)).names;

/** Returns the problem of an unknown name; null beyond {@link maxReported}. */
type Report = (name: string, known: Schemas) => FieldFailure | null;

/** Returns the schema of the elements of a list; null: they are not looked at. The handler refuses a list that is too long. */
function itemsOf(schema: JsonSchema, value: readonly unknown[]): JsonSchema | null {
  const list = alternativesOf(schema, value).find((each) => each.items !== undefined);
  const isTooLong = typeof list?.maxItems === 'number' && value.length > list.maxItems;
  return isObject(list?.items) && !isTooLong ? list.items : null;
}

/** Returns the problems of unknown names in a value; null: there are none. `shown`: the schema of the value in the reply, whose names are known although they may not be read. */
function unknownIn(schema: JsonSchema, value: unknown, shown: JsonSchema, report: Report): FieldFailure | null {
  if (Array.isArray(value)) {
    const items = itemsOf(schema, value);
    if (items === null) return null;
    const failures = value.map((each) => unknownIn(items, each, itemsOf(shown, value) ?? {}, report));
    return failures.some((each) => each !== null) ? failures : null;
  }
  const known = isObject(value) ? namesOf(schema, value) : null;
  if (!isObject(value) || known === null) return null;
  const returned = namesOf(shown, value) ?? {};
  const failures = Object.entries(value).flatMap(([name, each]) => {
    const [own, other] = [known, returned].map((names) => (Object.hasOwn(names, name) ? names[name] : undefined));
    const failure = own ? unknownIn(own, each, other ?? {}, report) : other ? null : report(name, known);
    return failure ? [[name, failure] as const] : [];
  });
  // A name may be `__proto__`.
  return failures.length > 0 ? Object.fromEntries(failures) : null;
}

const unknownName = (name: string, known: Schemas): FieldFailure =>
  sayOfField.unknown(labelOf(name), Object.keys(known).sort().join(', '));

/** Returns the problem of a parameter's value that its route would replace by another, or ignore. */
function valueProblem(name: string, schema: JsonSchema, value: string): FieldFailure | null {
  const { type, enum: choices, minimum, maximum } = schema;
  const label = labelOf(name);
  if (Array.isArray(choices)) {
    const known = choices.filter((each) => each !== null);
    return known.includes(value) ? null : sayOfField.oneOf(label, known.join(', '));
  }
  if (type === 'boolean') return /^(true|false)$/.test(value) ? null : sayOfField.truth(label);
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(value) ? null : sayOfField.number(label);
  if (type !== 'integer') return null;
  if (!/^-?\d+$/.test(value)) return sayOfField.wholeNumber(label);
  if (typeof minimum === 'number' && Number(value) < minimum) return sayOfField.atLeast(label, minimum);
  return typeof maximum === 'number' && Number(value) > maximum ? sayOfField.atMost(label, maximum) : null;
}

/** Returns the problems of a query. */
function parameterProblems({ query: schema }: Route, query: Call['query']): FieldFailures {
  const known = schemasIn(schema?.properties);
  const failures: FieldFailures = Object.fromEntries(
    Object.entries(query).flatMap(([sent, value]) => {
      // `meta[color]`
      const name = sent.replace(/\[.*$/s, '');
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      const isKnown = own !== undefined && (name === sent || own.type === 'object');
      const problem = isKnown ? valueProblem(sent, own, value) : unknownName(sent, known);
      return problem === null ? [] : [[sent, problem] as const];
    }),
  );
  // One without the other is not read.
  for (const [one, other] of [
    ['page', 'per'],
    ['per', 'page'],
  ] as const)
    if (known[one] && known[other] && query[one] !== undefined && query[other] === undefined)
      failures[other] = sayOfField.required(labelOf(other));
  return failures;
}

/** Throws 422 if a request contains names that its route does not know, or values of parameters that it would not use. Names of the returned record are known. */
export function assertStrictlyValid(route: Route, { query, body }: Pick<Call, 'query' | 'body'>): void {
  const reply = route.replies[200];
  const { schema = { properties: {} } } = requestBodyOf(route) ?? {};
  let left = maxReported;
  const report: Report = (name, known) => (left-- > 0 ? unknownName(name, known) : null);
  const shown = typeof reply === 'object' && reply.type !== 'array' ? reply : {};
  const inBody = unknownIn(schema, body, shown, report) ?? {};
  const failures = {
    // A list of records is named by their numbers, from 1.
    ...(Array.isArray(inBody) ? numbered(inBody) : (inBody as FieldFailures)),
    ...parameterProblems(route, query),
  };
  if (Object.keys(failures).length > 0) throw invalid(failures);
}

const numbered = (failures: readonly (FieldFailure | null)[]): FieldFailures =>
  Object.fromEntries(failures.flatMap((each, index) => (each === null ? [] : [[`${index + 1}`, each]])));
