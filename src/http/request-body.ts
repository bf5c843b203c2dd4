import { isObject } from '../core/json.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import type { Route } from '../engine/route.ts';

const currentPassword: JsonSchema = Type.String({
  description: 'The current password of the user. Not needed within an hour after a sign-in with it.',
  examples: ['correct horse'],
});

/** Returns the body of a route, with the password if the route wants one. */
export function requestBodyOf(route: Route): Route['body'] {
  if (route.access === 'public' || !route.confirms) return route.body;
  const { body = { rule: 'optional' as const, schema: Type.Object({}) } } = route;
  const { properties } = body.schema;
  const schema = {
    ...body.schema,
    properties: { ...(isObject(properties) ? properties : {}), password: currentPassword },
  };
  return { ...body, schema };
}
