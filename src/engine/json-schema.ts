import type { Words } from '../core/languages.ts';

/** A JSON Schema (draft 2020-12). Schemas document the API; bodies are parsed by the fields' own rules. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Keywords that a schema may have besides its type's. */
interface Annotations {
  /** The name under which the schema is shared. */
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  /** Values that are valid. */
  readonly examples?: readonly unknown[];
}

interface StringKeywords extends Annotations {
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface NumberKeywords extends Annotations {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ArrayKeywords extends Annotations {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface ObjectKeywords extends Annotations {
  readonly additionalProperties?: boolean;
}

/** The schema of a property that may be absent. */
export class OptionalProperty {
  readonly schema: JsonSchema;
  constructor(schema: JsonSchema) {
    this.schema = schema;
  }
}

export type SchemaProperties = Readonly<Record<string, JsonSchema | OptionalProperty>>;

/**
 * Builds JSON Schemas, in the vocabulary of TypeBox. Not TypeBox itself: with its type compiler it would be half of the
 * modules that a start loads.
 */
export const Type = {
  String: (keywords: StringKeywords = {}): JsonSchema => ({ type: 'string', ...keywords }),
  Integer: (keywords: NumberKeywords = {}): JsonSchema => ({ type: 'integer', ...keywords }),
  Number: (keywords: NumberKeywords = {}): JsonSchema => ({ type: 'number', ...keywords }),
  Boolean: (keywords: Annotations = {}): JsonSchema => ({ type: 'boolean', ...keywords }),
  Null: (keywords: Annotations = {}): JsonSchema => ({ type: 'null', ...keywords }),
  Unknown: (keywords: Annotations = {}): JsonSchema => ({ ...keywords }),
  Literal: (value: string | number | boolean, keywords: Annotations = {}): JsonSchema => ({
    type: typeof value,
    const: value,
    ...keywords,
  }),
  /** One of these values. */
  OneOf: (values: readonly (string | number)[], keywords: Annotations = {}): JsonSchema => ({
    type: typeof values[0] === 'number' ? 'integer' : 'string',
    enum: values,
    ...keywords,
  }),
  /** A value of the schema, or null. */
  Nullable: (schema: JsonSchema): JsonSchema =>
    typeof schema.type === 'string' && !('enum' in schema) && !('const' in schema)
      ? { ...schema, type: [schema.type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  /** A schema that is named elsewhere in the document. */
  Ref: (name: string): JsonSchema => ({ $ref: name }),
  /** One of several named objects, selected by the value of a property. */
  Discriminated: (propertyName: string, names: ReadonlyMap<string, string>, keywords: Annotations = {}): JsonSchema =>
    names.size === 1
      ? { ...Type.Ref([...names.values()].join()), ...keywords }
      : {
          oneOf: [...names.values()].map((name) => Type.Ref(name)),
          discriminator: {
            propertyName,
            mapping: Object.fromEntries([...names].map(([value, name]) => [value, `#/components/schemas/${name}`])),
          },
          ...keywords,
        },
  Union: (schemas: readonly JsonSchema[], keywords: Annotations = {}): JsonSchema => ({ anyOf: schemas, ...keywords }),
  Array: (items: JsonSchema, keywords: ArrayKeywords = {}): JsonSchema => ({ type: 'array', items, ...keywords }),
  /** An object whose keys are any strings. */
  Record: (values: JsonSchema, keywords: Annotations = {}): JsonSchema => ({
    type: 'object',
    additionalProperties: values,
    ...keywords,
  }),
  Optional: (schema: JsonSchema): OptionalProperty => new OptionalProperty(schema),
  /** An object with these properties only, required except with {@link Type.Optional}. */
  Object(properties: SchemaProperties, keywords: ObjectKeywords = {}): JsonSchema {
    const entries = Object.entries(properties);
    const required = entries.flatMap(([name, schema]) => (schema instanceof OptionalProperty ? [] : [name]));
    const schemas = entries.map(([name, schema]) => [
      name,
      schema instanceof OptionalProperty ? schema.schema : schema,
    ]);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(schemas),
      additionalProperties: false,
      ...keywords,
    };
  },
  /** Any object. */
  AnyObject: (keywords: Annotations = {}): JsonSchema => ({ type: 'object', additionalProperties: true, ...keywords }),
};

/** Returns the keywords of a value's label: in English, and by language in the others. */
export const titled = (words: Words | null): { readonly title?: string; readonly 'x-title'?: Partial<Words> } => {
  if (words === null) return {};
  const { en: title, ...others } = words;
  return { title, 'x-title': others };
};

/** Returns a union of objects that a property distinguishes, by the names of their schemas. */
export function unionOf(
  property: string,
  schemas: readonly (JsonSchema & { readonly $id: string })[],
  keywords: Annotations,
): JsonSchema {
  const constantOf = ({ properties }: JsonSchema): string =>
    String((properties as Readonly<Record<string, JsonSchema>>)[property]?.const);
  return {
    ...Type.Discriminated(property, new Map(schemas.map((schema) => [constantOf(schema), schema.$id])), keywords),
    $defs: Object.fromEntries(schemas.map((schema) => [schema.$id, schema])),
  };
}
