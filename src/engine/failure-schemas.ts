import { Type } from './json-schema.ts';

const sentence = Type.String({ description: 'A message for users.' });

/** `{error: message}`. */
export const failureSchema = Type.Object({ error: sentence }, { $id: 'Failure' });

const failures = Type.Record(Type.Ref('FieldFailure'), {
  $id: 'FieldFailures',
  description: 'The failing fields by name, or one message under `error`.',
});

const entryFailure = [sentence, Type.Ref('FieldFailures')];

const fieldFailure = Type.Union([...entryFailure, Type.Array(Type.Union([...entryFailure, Type.Null()]))], {
  $id: 'FieldFailure',
  description:
    'A message, those of the fields of an object, or those of the entries of a list with null for valid ones.',
});

/** The body of a 422: messages by field, nested like the body of the request. */
export const fieldFailuresSchema = {
  ...Type.Ref('FieldFailures'),
  $defs: { FieldFailures: failures, FieldFailure: fieldFailure },
};
