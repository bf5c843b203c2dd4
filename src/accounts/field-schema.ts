import type { TSchema } from 'typebox';
import Type from 'typebox';
import type { Fields } from '../engine/fields.ts';

/** JSON Schema of a body that is read with these fields. Bodies are read by the fields, never by this. */
export function fieldSchema(fields: Fields, title: string, mode: 'create' | 'update' = 'create'): TSchema {
  const properties: Record<string, TSchema> = {};
  const required: string[] = [];
  for (const [name, { kind, traits }] of Object.entries(fields)) {
    const isRequired = mode === 'create' && traits.isRequired;
    if (isRequired) required.push(name);
    const isText = kind.column === 'text';
    const value = { ...kind.input, ...traits.limits, ...(isText ? { pattern: '[^\\s\\u0000-\\u001f]' } : {}) };
    properties[name] = isRequired ? value : Type.Union([value, Type.Null()]);
  }
  return { type: 'object', title, properties, ...(required.length > 0 ? { required } : {}) } as TSchema;
}

/** A body whose fields may also lie in an object `user`, so that none is required at the top. [client web app] */
export function nestableSchema(fields: Fields, title: string): TSchema {
  const inner = fieldSchema(fields, title, 'update');
  return { ...inner, properties: { ...(inner as { properties?: object }).properties, user: inner } } as TSchema;
}
