import type { JsonSchema } from '../engine/json-schema.ts';
import { exampleOf } from '../engine/schema-examples.ts';

/** Plain JSON. */
export type Json = { [key: string]: unknown };

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const allowedName = /^[A-Za-z0-9._-]+$/;

/** Returns the name under which the example of a schema is shared; null if it is not. */
function exampleName({ $id, $ref, items }: JsonSchema): string | null {
  const name = $id ?? $ref;
  if (typeof name === 'string') return name;
  const inner = isJson(items) ? exampleName(items) : null;
  return inner === null ? null : `${inner}List`;
}

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'example']);

/** Collects the named schemas of a document: a schema with an `$id` is written once and referenced; schemas in `$defs` are referenced by name. */
export class SchemaComponents {
  readonly schemas: { [name: string]: Json } = {};
  /** Values by name. */
  readonly examples: { [name: string]: Json } = {};
  readonly #originals = new Map<string, string>();

  /** Returns the schema as it is written in the document. Throws when two different schemas have the same name. */
  place(schema: object): Json {
    const { $id, examples: _examples, ...rest } = schema as Json;
    if (typeof $id !== 'string') return this.#copy(rest);
    if (!allowedName.test($id)) throw new Error(`${$id} is not a valid schema name`);
    const original = JSON.stringify(rest);
    const known = this.#originals.get($id);
    if (known === undefined) {
      this.#originals.set($id, original);
      this.schemas[$id] = this.#copy(rest);
    } else if (known !== original) throw new Error(`two different schemas are named ${$id}`);
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** Returns the content of a body with its example; the content of a named schema, or of a list of one, is referenced. */
  content(schema: JsonSchema): Json {
    const value = exampleOf(schema);
    const placed = this.place(schema);
    if (value === undefined) return { schema: placed };
    const name = exampleName(schema);
    const shared = name === null ? undefined : (this.examples[name] ?? { value });
    if (name === null || JSON.stringify(shared?.value) !== JSON.stringify(value))
      return { schema: placed, example: value };
    this.examples[name] = { value };
    return { schema: placed, examples: { Example: { $ref: `#/components/examples/${name}` } } };
  }

  #copy(schema: Json): Json {
    const copy: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$defs' && isJson(value)) this.#value(Object.values(value));
      else if (key === '$ref' && typeof value === 'string')
        copy[key] = value.startsWith('#') ? value : `#/components/schemas/${value}`;
      else copy[key] = dataKeywords.has(key) ? value : this.#value(value);
    }
    return copy;
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.#value(inner));
    return isJson(value) ? this.place(value) : value;
  }
}
