import type { TSchema } from 'typebox';
import Type from 'typebox';
import { rejectsNull } from './body.ts';
import type { Field, Fields } from './fields.ts';
import { timeSchema } from './kinds.ts';
import type { AnyResource } from './resource.ts';

const id = Type.Integer({ minimum: 1 });

/** The name under which a schema stands in the documentation once: `Webcam feed` → `WebcamFeed`. */
const schemaId = (title: string): string => title.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** JSON Schema of one record in answers; with variants, one schema per kind. */
export function recordSchema(resource: AnyResource): TSchema {
  const { createdAt, showsDevice, discriminator, description } = resource.options;
  const shown = Object.entries(resource.fields).filter(([, { traits }]) => traits.isShown);
  const record = (
    fields: readonly (readonly [string, Field])[],
    title: string,
    constant: Record<string, TSchema> = {},
  ) =>
    Type.Object(
      {
        id,
        created_at: createdAt === 'seconds' ? Type.Integer({ description: 'Seconds since the epoch.' }) : timeSchema,
        updated_at: timeSchema,
        ...(showsDevice ? { device_id: id } : {}),
        ...Object.fromEntries(fields.map(([name, field]) => [name, field.output])),
        ...constant,
      },
      { $id: schemaId(title), additionalProperties: false, title, description: description },
    );
  if (!discriminator) return record(shown, resource.singular);
  const names = new Set(shown.flatMap(([, { traits }]) => traits.variants ?? []));
  return Type.Union(
    [...names].map((name) =>
      record(
        shown.filter(([, { traits }]) => traits.variants?.includes(name) ?? true),
        name,
        { [discriminator]: Type.Literal(name) },
      ),
    ),
    { $id: schemaId(resource.singular), title: resource.singular },
  );
}

/** JSON Schema of what may be sent to create or update a record. Bodies are read by the fields, never by this; tests hold the two together. */
export const bodySchema = (resource: AnyResource, mode: 'create' | 'update'): TSchema =>
  inputSchema(resource.fields, mode, `${resource.singular} ${mode}`, resource.options.coercion);

/** The same for fields that are no resource of their own. */
export function inputSchema(
  fields: Fields,
  mode: 'create' | 'update',
  title: string,
  reading: 'filter' | 'cast' = 'filter',
): TSchema {
  const properties: Record<string, TSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const { traits } = field;
    if (traits.writability !== 'always' && traits.writability !== `on ${mode}`) continue;
    const isRequired = mode === 'create' && traits.isRequired;
    if (isRequired) required.push(name);
    const value = inputFieldSchema(field, reading);
    properties[name] = rejectsNull(field, mode) ? value : Type.Union([value, Type.Null()]);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    title,
  } as TSchema;
}

function inputFieldSchema(field: Field, reading: 'filter' | 'cast'): TSchema {
  const { kind, traits } = field;
  if (reading === 'cast')
    return { ...kind.output, ...traits.limits, ...(traits.description && { description: traits.description }) };
  const blankRefused = kind.column === 'text' && traits.empty === 'refused' ? { pattern: '[^\\s\\u0000-\\u001f]' } : {};
  return {
    ...kind.input,
    ...traits.limits,
    ...blankRefused,
    ...(traits.default !== undefined && { default: traits.default }),
    ...(traits.description && { description: traits.description }),
  } as TSchema;
}

/** `page` and `per`. */
export const pageQuery = Type.Object({
  page: Type.Optional(Type.String({ description: 'The number of the page, from 1. Counts only together with `per`.' })),
  per: Type.Optional(Type.String({ description: 'Records on a page. Counts only together with `page`.' })),
});
