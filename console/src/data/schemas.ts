import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { send } from './api.ts';
import type { CollectionName } from './collections.ts';
import type { components } from './generated/api.ts';
import { collectionNames } from './generated/resources.ts';

/** A JSON Schema as the description of the API has them. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly const?: unknown;
  /** The default. */
  readonly 'x-default'?: unknown;
  /** The unit of a number. */
  readonly 'x-unit'?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> };
  readonly $ref?: string;
}

export type SchemaName = keyof components['schemas'];

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const descriptionQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: () => send<Description>('GET', '/api/openapi.json'),
});

/** A field of a form: what its schema says, without alternatives and references. */
export interface Field extends Schema {
  readonly name: string;
  readonly kind: 'boolean' | 'integer' | 'number' | 'text' | 'choice' | 'time' | 'other';
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  /** The list that the field is an id of. */
  readonly collection: CollectionName | undefined;
}

const allCollections = Object.values(collectionNames) as readonly CollectionName[];

/** The list that a field is an id of, by its name: `water_curve_id` → `curves`. */
export const collectionOf = (name: string): CollectionName | undefined =>
  name.endsWith('_id')
    ? allCollections.find((collection) => `_${name.slice(0, -3)}`.endsWith(`_${collection.slice(0, -1)}`))
    : undefined;

/** Returns the schemas of the API by name. Suspends while the description is read. */
export const useSchemas = (): Readonly<Record<string, Schema>> =>
  useSuspenseQuery(descriptionQuery).data.components.schemas;

/** Returns the fields of a schema of the API, in the order of their declarations. Suspends while the description is read. */
export function useFields(name: SchemaName): readonly Field[] {
  const schemas = useSchemas();
  return fieldsOf(schemas[name] ?? {}, schemas);
}

/** Returns the fields of an object's schema. */
export function fieldsOf(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): readonly Field[] {
  const { properties = {}, required = [] } = merged(schema, schemas);
  return Object.entries(properties).map(([name, property]) => {
    const whole = merged(property, schemas);
    const types = [whole.type ?? []].flat();
    return {
      ...whole,
      name,
      kind: kindOf(whole, types),
      isNullable: types.includes('null') || whole.enum?.includes(null) === true,
      isRequired: required.includes(name),
      collection: collectionOf(name),
    };
  });
}

/** A schema with resolved references, and with null as one of its types. */
function merged(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const target = schema.$ref === undefined ? undefined : schemas[schema.$ref.replace(/^.*\//, '')];
  const base = target ? { ...merged(target, schemas), ...schema } : schema;
  const parts = base.allOf?.map((part) => merged(part, schemas)) ?? [];
  const all: Schema = {
    ...base,
    properties: Object.assign({}, base.properties, ...parts.map(({ properties }) => properties)),
    required: [...(base.required ?? []), ...parts.flatMap(({ required }) => required ?? [])],
  };
  const choices = (all.anyOf ?? all.oneOf)?.map((choice) => merged(choice, schemas));
  const [only, ...others] = choices?.filter(({ type }) => type !== 'null') ?? [];
  if (!only || others.length > 0) return all;
  const isNullable = choices?.some(({ type }) => type === 'null') === true;
  return { ...only, ...all, type: [...[only.type ?? []].flat(), ...(isNullable ? ['null'] : [])] };
}

function kindOf(schema: Schema, types: readonly string[]): Field['kind'] {
  if (schema.enum) return 'choice';
  // Text or an object, as the values of farmware: people type text.
  if (types.length === 0 && schema.anyOf?.some(({ type }) => type === 'string')) return 'text';
  const [type, ...others] = types.filter((each) => each !== 'null');
  if (others.length > 0) return 'other';
  if (type === 'string') return schema.format === 'date-time' ? 'time' : 'text';
  return type === 'boolean' || type === 'integer' || type === 'number' ? type : 'other';
}
