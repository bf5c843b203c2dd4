import type { Where } from '../db/scope.ts';
import type { Field, Fields } from './fields.ts';
import type { JsonSchema, SchemaProperties } from './json-schema.ts';
import { Type } from './json-schema.ts';
import { queryOf } from './query.ts';
import type { RecordRow, Resource } from './resource.ts';
import type { Call } from './route.ts';
import { recordName } from './schemas.ts';

/** The fields that select records of a list, as query parameters. */
interface ListFilters<F extends Fields> {
  /** The schemas of the parameters, by name. */
  readonly parameters: SchemaProperties;
  /** Returns the selection, and the parameters that were sent. Throws 422. */
  parse(call: Pick<Call, 'query'>): { readonly where: Where<RecordRow<F>>; readonly sent: Record<string, string> };
}

/** Returns the filters that a resource declares. */
export function listFilters<F extends Fields>(resource: Resource<F>): ListFilters<F> {
  const { filters = [] } = resource.options;
  const fields = Object.fromEntries(filters.map((name) => [name, (resource.fields[name] as Field).nullByDefault()]));
  const query = queryOf(`${recordName(resource)}Filters`, fields);
  return {
    parameters: Object.fromEntries(
      Object.entries(query.schema.properties as Record<string, JsonSchema>).map(([name, schema]) => [
        name,
        Type.Optional(schema),
      ]),
    ),
    parse(call) {
      const values = Object.entries(query.parse(call)).filter(([, value]) => value !== null);
      return {
        where: Object.fromEntries(values) as Where<RecordRow<F>>,
        sent: Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
      };
    },
  };
}
