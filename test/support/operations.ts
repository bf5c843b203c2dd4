import type { App } from '../../src/app.ts';
import type { Json } from './json.ts';
import { at, isObject } from './json.ts';

/** A method of a path in the OpenAPI document. */
export interface Operation {
  readonly method: string;
  /** The path with placeholders: `/api/tools/{id}`. */
  readonly path: string;
  /** Whether a token is required. */
  readonly isPrivate: boolean;
  /** The field names of the body, or null if there is no body. */
  readonly fields: readonly string[] | null;
  /** Whether a body is required. */
  readonly needsBody: boolean;
}

/** Returns all operations of the OpenAPI document. */
export function publishedOperations(app: App): readonly Operation[] {
  const document = app.openapi() as { paths: Record<string, Record<string, Json>>; components: Json };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const body = isObject(operation) ? operation.requestBody : undefined;
      const security = isObject(operation) ? operation.security : undefined;
      return {
        method: method.toUpperCase(),
        path,
        isPrivate: security === undefined,
        fields: body === undefined ? null : [...namesIn(body, document.components)],
        needsBody: isObject(body) && body.required === true,
      };
    }),
  );
}

/** Collects the keys of `properties` at any depth. */
function namesIn(schema: Json | undefined, components: Json, names = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const each of schema) namesIn(each, components, names);
  else if (isObject(schema))
    for (const [key, inner] of Object.entries(schema)) {
      if (key === '$ref')
        namesIn(at(components, String(inner).replace('#/components/', '').replaceAll('/', '.')), components, names);
      if (key === 'properties' && isObject(inner)) for (const name of Object.keys(inner)) names.add(name);
      namesIn(inner, components, names);
    }
  return names;
}
