import { Type } from './json-schema.ts';

const sentence = Type.String({ description: 'A message for users.' });

/** `{error: message}`. */
export const failureSchema = Type.Object({ error: sentence }, { $id: 'Failure' });

/** The body of a 422: messages by field, nested like the body of the request. */
export const fieldFailuresSchema = Type.Record(Type.Union([sentence, Type.Object({}), Type.Array(Type.Unknown())]), {
  $id: 'FieldFailures',
  description: 'The failing fields by name, or one message under `error`.',
});
