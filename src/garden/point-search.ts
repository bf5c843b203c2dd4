import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { custom, float, integer, oneOf, text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { inputSchema } from '../engine/schemas.ts';
import { jsonArray, jsonExpressions } from '../engine/serializer.ts';
import type { ArchiveFilter } from './points.ts';
import { archiveFilters, plantStages, pointerTypes, points } from './points.ts';
import type { StringMap } from './string-map.ts';
import { stringMapKind } from './string-map.ts';

/** The fields that points can be searched by; all that are sent must be equal. [rule G27] */
const searchFields = {
  radius: float(),
  x: float(),
  y: float(),
  z: float(),
  depth: integer(),
  name: text(),
  openfarm_slug: text(),
  pointer_type: oneOf(...pointerTypes),
  plant_stage: oneOf(...plantStages),
  meta: custom<StringMap>(stringMapKind)
    .notNull()
    .describe('Each of these strings must be equal; the point may have others.'),
};

/** The JSON Schema of the body. */
export const searchSchema = inputSchema(searchFields, 'update', 'PointSearch');

/** The query parameter of a search whose fields are in its body. */
const archiveParameter = {
  filter: Type.Optional(
    Type.OneOf(archiveFilters, { description: '`kept`: on the map; `old`: archived; `all` (the default): both.' }),
  ),
};

export const archiveQuery = Type.Object(archiveParameter);

/** The JSON Schema of the query parameters. */
export const searchQuery = Type.Object({
  ...archiveParameter,
  ...Object.fromEntries(Object.entries(searchFields).map(([name, { kind }]) => [name, Type.Optional(kind.input)])),
});

/** Converts query parameters to a search; `meta[key]=text` searches `meta`. */
export function parseSearchQuery(query: Readonly<Record<string, string>>): Body {
  const meta = Object.entries(query).flatMap(([name, value]) => {
    const key = /^meta\[(.+)\]$/s.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return meta.length > 0 ? { ...query, meta: Object.fromEntries(meta) } : query;
}

const json = jsonExpressions(points);
const jsonAndMeta: Selection<{ json: string; meta: string }> = {
  key: 'json and meta',
  expressions: { sqlite: [json.sqlite, '"meta"'], postgres: [json.postgres, '"meta"'] },
  read: ([text, meta]) => ({ json: String(text), meta: String(meta) }),
};

/** Returns the device's points that match, as JSON. One query. Throws 422. */
export async function searchPoints(scope: DeviceScope, criteria: Body, archive: ArchiveFilter): Promise<string> {
  const parsed = parseBody(searchFields, criteria, 'update');
  assertValid(parsed);
  const { meta = {}, ...columns } = parsed.values as Record<string, string | number> & { meta?: StringMap };
  const texts = Object.entries(meta);
  const found = await scope.select(points, jsonAndMeta, { where: { ...columns, ...archive } });
  // Compared here, because SQLite and PostgreSQL parse JSON differently; a device has at most 1,000 points.
  const matching =
    texts.length === 0 ? found : found.filter((point) => matches(JSON.parse(point.meta) as StringMap, texts));
  return jsonArray(matching.map((point) => point.json));
}

const matches = (meta: StringMap, texts: readonly (readonly [string, string])[]): boolean =>
  texts.every(([key, text]) => Object.hasOwn(meta, key) && meta[key] === text);
