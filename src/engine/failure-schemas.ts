import Type from 'typebox';

const sentence = Type.String({ description: 'A sentence for people.' });

/** `{error: sentence}`. */
export const failureSchema = Type.Object({ error: sentence }, { $id: 'Failure' });

/** What a 422 tells: failing fields and their sentences, nested as the body was. */
export const fieldFailuresSchema = Type.Record(
  Type.String(),
  Type.Union([sentence, Type.Object({}), Type.Array(Type.Unknown())]),
  { $id: 'FieldFailures', description: 'The failing fields by name, or one sentence under `error`.' },
);
