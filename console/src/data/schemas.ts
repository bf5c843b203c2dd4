import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { wordsOf } from '../ui/letters.ts';
import { send } from './api.ts';
import type { CollectionName } from './collections.ts';
import { labelIn } from './field-label.ts';
import type { components } from './generated/api.ts';
import { collectionNames } from './generated/resources.ts';
import { type ApiDescription, type Schema, type Schemas, titleOf, wordsIn } from './schema.ts';

export type SchemaName = keyof components['schemas'];

export const descriptionQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: () => send<ApiDescription>('GET', '/api/openapi.json'),
});

/** A field of a form: its schema without alternatives and references. */
export interface Field extends Schema {
  readonly name: string;
  /** Its label in the language of the page. */
  readonly label: string;
  /** The hint below it. */
  readonly hint: string | undefined;
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
export const useSchemas = (): Schemas => useSuspenseQuery(descriptionQuery).data.components.schemas;

/** Returns a function for the labels of the fields of a resource, and of the keys of their values. Suspends. */
export function useLabels(resource: string): (name: string, otherwise?: string) => string {
  const schemas = useSchemas();
  return (name, otherwise) => labelIn(schemas, resource, name, otherwise);
}

/** Returns the fields of a schema of the API, in the order of their declarations. Suspends while the description is read. */
export function useFields(name: SchemaName): readonly Field[] {
  const schemas = useSchemas();
  return fieldsOf(schemas[name] ?? {}, schemas);
}

/** Returns the fields of an object's schema. */
export function fieldsOf(schema: Schema, schemas: Schemas = {}): readonly Field[] {
  const { properties = {}, required = [] } = merged(schema, schemas);
  return Object.entries(properties).map(([name, property]) => {
    const whole = merged(property, schemas);
    const types = [whole.type ?? []].flat();
    return {
      ...whole,
      name,
      label: titleOf(whole) ?? wordsOf(name),
      hint: whole['x-hint'] && wordsIn(whole['x-hint'], whole.description),
      kind: kindOf(whole, types),
      isNullable: types.includes('null') || whole.enum?.includes(null) === true,
      isRequired: required.includes(name),
      collection: collectionOf(name),
    };
  });
}

/** A schema with resolved references, and with null as one of its types. */
function merged(schema: Schema, schemas: Schemas): Schema {
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
