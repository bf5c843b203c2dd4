import type { App } from '../../src/app.ts';
import type { Json } from './json.ts';
import { at, isObject } from './json.ts';

/** One method of one path, as the published document tells it. */
export interface Operation {
  readonly method: string;
  /** With placeholders: `/api/tools/{id}`. */
  readonly path: string;
  /** Whether it needs a token. */
  readonly isPrivate: boolean;
  /** The names of the fields of its body; null when it takes none. */
  readonly fields: readonly string[] | null;
}

/** Every operation that the server publishes. */
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
      };
    }),
  );
}

/** The keys of every `properties` at any depth. */
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
