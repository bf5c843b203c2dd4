import { capital, wordsOf } from '../ui/letters.ts';
import { type Schema, type Schemas, titleOf } from './schema.ts';

/** Titled properties of all schemas and of the objects in them, by name; the first of a name counts. */
const indexes = new WeakMap<Schemas, Map<string, Schema>>();

function indexOf(schemas: Schemas): Map<string, Schema> {
  const known = indexes.get(schemas);
  if (known) return known;
  const index = new Map<string, Schema>();
  const add = ({ properties = {} }: Schema): void => {
    for (const [name, property] of Object.entries(properties)) {
      if (property.title !== undefined && !index.has(name)) index.set(name, property);
      add(property);
    }
  };
  Object.values(schemas).forEach(add);
  indexes.set(schemas, index);
  return index;
}

/** Returns the property of records of a resource, or of their request bodies. */
const propertyOf = (schemas: Schemas, resource: string, name: string): Schema | undefined =>
  [resource, `${resource}Update`, `${resource}Input`]
    .map((schema) => schemas[schema]?.properties?.[name])
    .find((property) => property?.title !== undefined);

/** Returns the label of a field of a resource; without one, the label of a field of this name elsewhere, or the name in words. */
export const labelIn = (schemas: Schemas, resource: string, name: string, otherwise = wordsOf(name)): string =>
  titleOf(propertyOf(schemas, resource, name) ?? indexOf(schemas).get(name) ?? {}) ?? otherwise;

/** Returns the name of a resource by the name of its list or of its key in an export: `FarmEvent` of `farm_events`. */
export const resourceOf = (list: string): string =>
  list.replace(/ies$/, 'y').replace(/s$/, '').split('_').map(capital).join('');
