import Type from 'typebox';

const sentence = Type.String({ description: 'A sentence for people.' });

/** `{error: sentence}`. */
export const failureSchema = Type.Object({ error: sentence }, { $id: 'Failure' });

/** The body of a 422: sentences by field, nested like the body of the request. */
export const fieldFailuresSchema = Type.Record(
  Type.String(),
  Type.Union([sentence, Type.Object({}), Type.Array(Type.Unknown())]),
  { $id: 'FieldFailures', description: 'The failing fields by name, or one sentence under `error`.' },
);
