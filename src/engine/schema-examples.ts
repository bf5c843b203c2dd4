import { listOf } from '../core/json.ts';
import type { JsonSchema } from './json-schema.ts';

/** The schemas that a schema refers to by name. */
type Definitions = Readonly<Record<string, JsonSchema>>;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of formats, valid for every schema with the format. */
const formats: Readonly<Record<string, string>> = { 'date-time': '2026-04-01T08:00:00.000Z' };

/**
 * Returns the example of a schema: its own, or one composed of its parts' examples. Optional properties of bodies are left
 * out. Returns undefined if a part has none, so that no example has made-up text.
 */
export function exampleOf(schema: JsonSchema, outer: Definitions = {}): unknown {
  const { $defs, examples, enum: choices, const: constant, $ref, oneOf, anyOf, type, items, minimum, format } = schema;
  const definitions = isSchema($defs) ? { ...outer, ...($defs as Definitions) } : outer;
  if (Array.isArray(examples)) return examples[0];
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return choices[0];
  if (typeof $ref === 'string') {
    const referenced = definitions[$ref];
    return referenced && exampleOf(referenced, definitions);
  }
  const [first] = [...listOf(oneOf), ...listOf(anyOf)].filter(isSchema);
  if (first) return exampleOf(first, definitions);
  const types = [type].flat();
  if (types.includes('object')) return objectExample(schema, definitions);
  if (types.includes('array')) return isSchema(items) ? listExample(exampleOf(items, definitions)) : [];
  if (types.includes('integer') || types.includes('number'))
    return typeof minimum === 'number' && minimum > 0 ? minimum : 0;
  if (types.includes('boolean')) return true;
  if (types.includes('null')) return null;
  return typeof format === 'string' ? formats[format] : undefined;
}

const listExample = (item: unknown): unknown => (item === undefined ? undefined : [item]);

function objectExample({ properties, required, additionalProperties }: JsonSchema, definitions: Definitions): unknown {
  const needed = listOf(required);
  const entries: [string, unknown][] = [];
  for (const [name, property] of Object.entries(isSchema(properties) ? properties : {})) {
    if (!needed.includes(name) || !isSchema(property)) continue;
    const value = exampleOf(property, definitions);
    if (value === undefined) return undefined;
    entries.push([name, value]);
  }
  const isMap = entries.length === 0 && isSchema(additionalProperties);
  return isMap ? {} : Object.fromEntries(entries);
}
