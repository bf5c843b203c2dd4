import type { JsonSchema } from './json-schema.ts';
import { Type, unionOf } from './json-schema.ts';
import { idSchema, timeSchema } from './kinds.ts';

/** The JSON Schema of the author of a change. */
export const actorSchema = Type.Object({
  kind: Type.OneOf(['user', 'robot', 'job', 'server']),
  user_id: Type.Nullable(idSchema),
  name: Type.Nullable(Type.String()),
  via: Type.Nullable(Type.String({ description: 'The name of the personal token, or the kind of the job.' })),
});

/** A change of a record as its receivers get it. */
export const changeExample = {
  ...{ action: 'deleted', resource: 'Point', id: 7, record: null, label: 'my-1' },
  actor: { kind: 'user', user_id: 1, name: 'Ada', via: null },
  at: '2026-04-01T08:00:00.000Z',
};

/** Returns the name of the schema of a resource's changes. */
export const changeName = (resource: string): string => `${resource}Change`;

/** Returns the JSON Schema of the changes of a resource, by its name in the log, which its records' schema has, too. */
const changeSchema = (resource: string) => ({
  ...Type.Object({
    action: Type.OneOf(['created', 'updated', 'deleted']),
    resource: Type.Literal(resource),
    id: idSchema,
    record: Type.Nullable(Type.Ref(resource)),
    label: Type.String({ description: 'The id of the request, which its client may have sent.' }),
    actor: actorSchema,
    at: timeSchema,
  }),
  $id: changeName(resource),
});

/** Returns the JSON Schema of the change of any of these resources. */
export const changesSchema = (resources: readonly string[]): JsonSchema =>
  unionOf('resource', resources.map(changeSchema), {
    $id: 'RecordChange',
    description: 'A change of a record: `record` is null after its deletion.',
    examples: [changeExample],
  });
