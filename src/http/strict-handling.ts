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

/** Whether the client wants requests refused that contain unknown names: `Prefer: handling=strict` (RFC 7240). [ADR 118] */
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

/** Returns the schemas of a value: alternatives, of which a discriminator selects one. */
function alternativesOf(schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const named = schemasIn(schema.$defs);
  const all = [...listIn(schema.oneOf), ...listIn(schema.anyOf)].map((each) => named[String(each.$ref)] ?? each);
  if (all.length === 0) return [named[String(schema.$ref)] ?? schema];
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

/** Returns the names that a value may have, with the schemas of their values; null: any. */
function namesOf(schema: JsonSchema, value: unknown): Schemas | null {
  const objects = alternativesOf(schema, value).filter((each) => each.type !== 'null');
  if (objects.length === 0 || objects.some(isOpen)) return null;
  return Object.assign({}, ...objects.map(({ properties }) => properties));
}

/** Returns the problem of an unknown name; null beyond {@link maxReported}. */
type Report = (name: string, known: Schemas) => FieldFailure | null;

const itemsOf = (schema: JsonSchema, value: unknown): JsonSchema | null => {
  const items = alternativesOf(schema, value).find((each) => each.items !== undefined)?.items;
  return isObject(items) ? items : null;
};

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
  const failures: FieldFailures = {};
  for (const [name, each] of Object.entries(value)) {
    const [own, other] = [known, returned].map((names) => (Object.hasOwn(names, name) ? names[name] : undefined));
    const failure = own ? unknownIn(own, each, other ?? {}, report) : other ? null : report(name, known);
    if (failure) failures[name] = failure;
  }
  return Object.keys(failures).length > 0 ? failures : null;
}

const unknownName = (name: string, known: Schemas): FieldFailure =>
  sayOfField.unknown(labelOf(name), Object.keys(known).sort().join(', '));

/** Returns the problems of the names in a query. */
function unknownParameters({ query: schema }: Route, query: Call['query']): FieldFailures {
  const known = schemasIn(schema?.properties);
  const failures: FieldFailures = {};
  for (const sent of Object.keys(query)) {
    // `meta[color]`
    const name = sent.replace(/\[.*$/s, '');
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!own || (name !== sent && own.type !== 'object')) failures[sent] = unknownName(sent, known);
  }
  // One without the other is not read.
  for (const [one, other] of [
    ['page', 'per'],
    ['per', 'page'],
  ] as const)
    if (known[one] && known[other] && query[one] !== undefined && query[other] === undefined)
      failures[other] = sayOfField.required(labelOf(other));
  return failures;
}

/** Throws 422 if a request contains names that its route does not know. Names of the returned record are known. */
export function assertKnownNames(route: Route, { query, body }: Pick<Call, 'query' | 'body'>): void {
  const reply = route.replies[200];
  const { schema = { properties: {} } } = requestBodyOf(route) ?? {};
  let left = maxReported;
  const report: Report = (name, known) => (left-- > 0 ? unknownName(name, known) : null);
  const inBody = unknownIn(schema, body, typeof reply === 'object' ? reply : {}, report) ?? {};
  const failures = {
    // A list of records is named by their numbers, from 1.
    ...(Array.isArray(inBody) ? numbered(inBody) : (inBody as FieldFailures)),
    ...unknownParameters(route, query),
  };
  if (Object.keys(failures).length > 0) throw invalid(failures);
}

const numbered = (failures: readonly (FieldFailure | null)[]): FieldFailures =>
  Object.fromEntries(failures.flatMap((each, index) => (each === null ? [] : [[`${index + 1}`, each]])));
