import { rejectsNull } from './body.ts';
import type { Field, Fields } from './fields.ts';
import type { JsonSchema } from './json-schema.ts';
import { Type } from './json-schema.ts';
import { timeSchema } from './kinds.ts';
import type { AnyResource } from './resource.ts';

const id = Type.Integer({ minimum: 1 });

const ignoredNull = Type.Null({ description: 'Counts as not sent.' });

/** Returns the name of a shared schema: `Webcam feed` → `WebcamFeed`. */
const schemaId = (title: string): string => title.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the JSON Schema of a record in replies: a union if the resource has variants. */
export function recordSchema(resource: AnyResource): JsonSchema {
  const { createdAt, showsDevice, discriminator, description } = resource.options;
  const shown = Object.entries(resource.fields).filter(([, { traits }]) => traits.isShown);
  const record = (
    fields: readonly (readonly [string, Field])[],
    title: string,
    constant: Record<string, JsonSchema> = {},
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

/** Returns the JSON Schema of the body of a create or update. It only documents: bodies are parsed by {@link parseBody}, and tests compare the two. */
export const bodySchema = (resource: AnyResource, mode: 'create' | 'update'): JsonSchema =>
  inputSchema(resource.fields, mode, `${resource.singular} ${mode}`, resource.options.coercion);

/** Returns the same for fields without a resource. */
export function inputSchema(
  fields: Fields,
  mode: 'create' | 'update',
  title: string,
  coercion: 'parse' | 'cast' = 'parse',
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const { traits } = field;
    if (traits.writability !== 'always' && traits.writability !== `on ${mode}`) continue;
    const isRequired = mode === 'create' && traits.isRequired;
    if (isRequired) required.push(name);
    const value = inputFieldSchema(field, coercion);
    properties[name] = rejectsNull(field, mode)
      ? value
      : Type.Union([value, traits.isNullable ? Type.Null() : ignoredNull]);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    title,
  };
}

function inputFieldSchema(field: Field, coercion: 'parse' | 'cast'): JsonSchema {
  const { kind, traits } = field;
  if (coercion === 'cast')
    return { ...kind.output, ...traits.limits, ...(traits.description && { description: traits.description }) };
  const isBlankRefused = kind.column === 'text' && traits.empty === 'refused' && !('pattern' in traits.limits);
  const notBlank = isBlankRefused ? { pattern: '[^\\s\\u0000-\\u001f]' } : {};
  return {
    ...kind.input,
    ...traits.limits,
    ...notBlank,
    ...(traits.default !== undefined && { default: traits.default }),
    ...(traits.description && { description: traits.description }),
  };
}

/** The query parameters of paginated lists, for queries with others. */
export const pageParameters = {
  page: Type.Optional(Type.String({ description: 'The page number, from 1. Ignored without `per`.' })),
  per: Type.Optional(Type.String({ description: 'Records per page. Ignored without `page`.' })),
};

/** The query of paginated lists. */
export const pageQuery = Type.Object(pageParameters);
