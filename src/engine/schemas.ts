import { withGroups } from './field-groups.ts';
import type { Field, Fields } from './fields.ts';
import type { JsonSchema, SchemaProperties } from './json-schema.ts';
import { Type, titled, unionOf } from './json-schema.ts';
import { idSchema, notBlank, timeSchema } from './kinds.ts';
import { columnTitles, hintOf, titleOf } from './labels.ts';
import { maxPageSize } from './paging.ts';
import type { AnyResource } from './resource.ts';
import { describeMaximum } from './resource.ts';
import { exampleOf } from './schema-examples.ts';

type NamedField = readonly [name: string, field: Field];

/** Returns the name of the schema of a record: `Webcam feed` → `WebcamFeed`. */
export const recordName = ({ singular }: AnyResource): string =>
  singular.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns a union of the variants of a resource, each with its own fields; `create` returns the schema of one. */
function variantUnion(
  { options, fields }: AnyResource,
  $id: string,
  create: (variant: string) => JsonSchema & { readonly $id: string },
): JsonSchema {
  const variants = [...new Set(Object.values(fields).flatMap(({ traits }) => traits.variants ?? []))];
  return unionOf(options.discriminator ?? '', variants.map(create), { $id, description: options.description });
}

/** The schema of the property whose value selects the variant. */
const variantSchema = ({ fields, options }: AnyResource, variant: string): JsonSchema =>
  Type.Literal(variant, titled(titleOf(fields[options.discriminator ?? ''])));

const belongsTo = (variant: string, [, { traits }]: NamedField): boolean => traits.variants?.includes(variant) ?? true;

const timeExample = '2026-04-01T08:00:00.000Z';

/** Returns the record that follows from the example of a resource. */
function recordExample({ fields, options }: AnyResource): Record<string, unknown> {
  const { createdAt, showsDevice, discriminator, example = {}, shownExample = {} } = options;
  const variant = discriminator && String(example[discriminator]);
  const shown = Object.entries(fields).filter(
    (field) => field[1].traits.isShown && (!variant || belongsTo(variant, field)),
  );
  const shownValue = ([name, field]: NamedField): unknown => {
    const known = [shownExample[name], example[name], field.initial].find((value) => value !== undefined);
    if (known !== undefined) return known;
    return field.canBeNull ? null : exampleOf(field.output);
  };
  return {
    id: 1,
    created_at: createdAt === 'seconds' ? Date.parse(timeExample) / 1000 : timeExample,
    updated_at: timeExample,
    ...(showsDevice ? { device_id: 1 } : {}),
    ...Object.fromEntries(shown.map((field) => [field[0], shownValue(field)])),
  };
}

/** The schemas of the columns that every record has. */
export const columnSchemas = {
  id: { ...idSchema, ...titled(columnTitles.id) },
  created_at: { ...timeSchema, ...titled(columnTitles.created_at) },
  updated_at: { ...timeSchema, ...titled(columnTitles.updated_at) },
};

const epochSeconds = Type.Integer({ description: 'Seconds since the epoch.', ...titled(columnTitles.created_at) });

/** Returns the JSON Schema of a record in replies: a union if the resource has variants. */
export function recordSchema(resource: AnyResource): JsonSchema {
  const { createdAt, showsDevice, discriminator, description, max } = resource.options;
  const shown = Object.entries(resource.fields).filter(([, { traits }]) => traits.isShown);
  const record = ($id: string, fields: readonly NamedField[], constant: SchemaProperties = {}) => ({
    ...Type.Object({
      ...columnSchemas,
      ...(createdAt === 'seconds' && { created_at: epochSeconds }),
      ...(showsDevice ? { device_id: { ...idSchema, ...titled(columnTitles.device_id) } } : {}),
      ...Object.fromEntries(fields.map(([name, field]) => [name, field.output])),
      ...constant,
    }),
    $id,
    // Of settings there is one.
    description: max === 1 ? description : `${description} ${describeMaximum(resource)}`,
  });
  const name = recordName(resource);
  const examples = [recordExample(resource)];
  if (!discriminator) return { ...record(name, shown), examples };
  const union = variantUnion(resource, name, (variant) =>
    record(
      variant,
      shown.filter((field) => belongsTo(variant, field)),
      { [discriminator]: variantSchema(resource, variant) },
    ),
  );
  return { ...union, examples };
}

/**
 * Returns the JSON Schema of the body of a create or update, in the form that clients should send. It only documents: bodies are
 * parsed by {@link parseBody}, which accepts more, and tests compare the two. [ADR 45]
 */
export function bodySchema(resource: AnyResource, mode: 'create' | 'update'): JsonSchema {
  const { fields, options } = resource;
  const name = recordName(resource);
  const { discriminator, example } = options;
  if (mode === 'update')
    return withExample(
      withGroups(inputSchema(fields, mode, `${name}Update`, options.coercion), options.groups),
      example && changeOf(fields, example),
    );
  if (!discriminator) return withExample(inputSchema(fields, mode, `${name}Input`, options.coercion), example);
  const union = variantUnion(resource, `${name}Input`, (variant) => {
    const own = Object.fromEntries(Object.entries(fields).filter((field) => belongsTo(variant, field)));
    const { properties, ...rest } = inputSchema(own, mode, `${variant}Input`, options.coercion);
    return { ...rest, properties: { ...(properties as object), [discriminator]: variantSchema(resource, variant) } };
  });
  return withExample(union, example);
}

/** Returns the schema with an example. */
export const withExample = (schema: JsonSchema, example: object | undefined): JsonSchema =>
  example ? { ...schema, examples: [example] } : schema;

/** Returns an example of an update: the first two fields of the example that an update may contain. */
const changeOf = (fields: Fields, example: object): object =>
  Object.fromEntries(
    Object.entries(example)
      .filter(([name]) => fields[name]?.traits.writability === 'always' && !fields[name]?.traits.isDerived)
      .slice(0, 2),
  );

/** Returns the same for fields without a resource. `$id`: the name of the schema. */
export function inputSchema(
  fields: Fields,
  mode: 'create' | 'update',
  $id: string,
  coercion: 'parse' | 'cast' = 'parse',
): JsonSchema & { readonly $id: string } {
  const properties: Record<string, SchemaProperties[string]> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { traits } = field;
    if (traits.writability !== 'always' && traits.writability !== `on ${mode}`) continue;
    const value = inputFieldSchema(field, mode, coercion);
    // Not in the branch of a value: it is the title of a null, too.
    const schema = { ...(traits.null === 'stored' ? Type.Nullable(value) : value), ...titled(titleOf(field)) };
    const isRequired = mode === 'create' && (traits.absence === 'refused' || traits.absence === 'refused by a rule');
    properties[name] = isRequired ? schema : Type.Optional(schema);
  }
  return { ...Type.Object(properties), $id };
}

/** Returns the body of a route: an object of these fields. */
export const inputBody = (
  fields: Fields,
  mode: 'create' | 'update',
  $id: string,
  example: object,
): { readonly rule: 'object'; readonly schema: JsonSchema } => ({
  rule: 'object',
  schema: withExample(inputSchema(fields, mode, $id), example),
});

/** The default is part of the description: generators of types would regard a property with the keyword as required. */
function described(field: Field, mode: 'create' | 'update'): JsonSchema {
  const { sentences, initial: value, traits } = field;
  const { unit } = traits;
  const hint = hintOf(field);
  const isPlain = value !== undefined && typeof value !== 'object' && value !== '';
  const all = [...sentences, ...(mode === 'create' && isPlain ? [`Default: \`${value}\`.`] : [])];
  const description = all.join(' ');
  return {
    ...(description === '' ? {} : { description }),
    // The missing part is the description.
    ...(hint === null ? {} : { 'x-hint': hint.en === description ? { fr: hint.fr } : hint }),
    // For forms: the value of a field unless it is set, and its unit.
    ...(value === undefined ? {} : { 'x-default': value }),
    ...(unit === null ? {} : { 'x-unit': unit }),
  };
}

const isAnyText = (schema: JsonSchema): boolean => schema.type === 'string' && !schema.format && !schema.enum;

function inputFieldSchema(field: Field, mode: 'create' | 'update', coercion: 'parse' | 'cast'): JsonSchema {
  const { kind, traits } = field;
  const isBlankRefused =
    coercion === 'parse' && kind.column === 'text' && traits.empty === 'refused' && !('pattern' in traits.limits);
  // A zero stands for none where another device's id does, too.
  const minimum = traits.ownership === 'null' ? 0 : 1;
  const { maximum, ...input } = kind.input;
  return {
    ...input,
    ...(maximum !== undefined && !('exclusiveMaximum' in traits.limits) && { maximum }),
    ...(traits.foreignKey && { minimum }),
    ...traits.limits,
    ...(isBlankRefused && isAnyText(kind.input) && notBlank),
    ...described(field, mode),
  };
}

/** The query parameters of paginated lists, for queries with others. */
export const pageParameters = {
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'The page number, from 1. Ignored without `per`.' })),
  per: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxPageSize, description: 'Records per page. Ignored without `page`.' }),
  ),
};

/** The query of paginated lists. */
export const pageQuery = Type.Object(pageParameters);
