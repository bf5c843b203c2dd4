import type { FieldFailures } from '../core/errors.ts';
import { assertValid, parseBody } from './body.ts';
import { sayOfField } from './field-messages.ts';
import type { Field, Fields, FieldValues } from './fields.ts';
import type { JsonSchema } from './json-schema.ts';
import { fieldProblem, Problem } from './kinds.ts';
import type { Call, QueryParameters } from './route.ts';
import { repeated } from './route.ts';
import { inputSchema } from './schemas.ts';

/** Query parameters, declared as the fields of a body are. */
interface QueryDeclaration<F extends Fields> {
  readonly schema: JsonSchema;
  /** Returns the values, with defaults. Throws 422 with the problems of all parameters, including `further`. */
  parse(call: Pick<Call, 'query'>, further?: FieldFailures): FieldValues<F>;
}

/** Declares query parameters, each of which may be sent once, and whose numbers have no other characters. `name`: their schema's. */
export const queryOf = <F extends Fields>(name: string, fields: F): QueryDeclaration<F> => ({
  schema: inputSchema(fields, 'create', name),
  parse({ query }, further = {}) {
    const parsed = parseBody(fields, query, 'create');
    assertValid(parsed, { ...problemsOf(fields, query), ...further });
    return parsed.values as FieldValues<F>;
  },
});

/** Returns the problems of parameters that bodies do not have, or not under the name of the field. */
function problemsOf(fields: Fields, query: QueryParameters): FieldFailures {
  const failures: FieldFailures = {};
  for (const [name, field] of Object.entries(fields)) {
    const problem = repetitionProblem(query, name) ?? formatProblem(field, name, query[name]);
    if (problem) failures[name] = problem.failure;
  }
  return failures;
}

/** Returns the problem of a parameter that was sent several times. */
export const repetitionProblem = (query: QueryParameters, name: string): Problem | null =>
  query[repeated]?.has(name) ? fieldProblem(name, sayOfField.sentOnce) : null;

/** Unlike fields of the original service, numbers have no other characters. [rule V10] */
function formatProblem({ kind, traits }: Field, name: string, text: string | undefined): Problem | null {
  if (text === undefined || text === '') return null;
  const { type } = kind.input;
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? null : fieldProblem(name, sayOfField.number);
  if (type !== 'integer') return null;
  if (!/^-?\d+$/.test(text)) return fieldProblem(name, sayOfField.wholeNumber);
  const value = kind.parse(text, name);
  if (!(value instanceof Problem)) return null;
  // The range of the field says more than that of its column.
  return traits.checks.map((check) => check(Number(text) as never, name)).find((problem) => problem !== null) ?? value;
}
