import { assertValid, parseBody } from './body.ts';
import type { Fields, FieldValues } from './fields.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Call } from './route.ts';
import { inputSchema } from './schemas.ts';

/** Query parameters, declared as the fields of a body are. */
export interface QueryDeclaration<F extends Fields> {
  readonly fields: F;
  readonly schema: JsonSchema;
  /** Returns the values, with defaults. Throws 422 with the problems of all parameters. */
  parse(call: Pick<Call, 'query'>): FieldValues<F>;
}

/** Declares query parameters. `name`: that of their schema. */
export const queryOf = <F extends Fields>(name: string, fields: F): QueryDeclaration<F> => ({
  fields,
  schema: inputSchema(fields, 'create', name),
  parse({ query }) {
    const parsed = parseBody(fields, query, 'create');
    assertValid(parsed);
    return parsed.values as FieldValues<F>;
  },
});
