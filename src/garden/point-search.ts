import Type from 'typebox';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { custom, float, integer, oneOf, text } from '../engine/fields.ts';
import { bodySchema } from '../engine/schemas.ts';
import { jsonArray, jsonExpressions } from '../engine/serializer.ts';
import type { ArchiveFilter } from './point-archive.ts';
import { plantStages, pointerTypes, points } from './points.ts';
import type { StringMap } from './string-map.ts';
import { stringMapKind } from './string-map.ts';

/** What points can be searched by: each must be equal. [Spec Endpoints] */
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
  meta: custom<StringMap>(stringMapKind).notNull().describe('Each of these texts must be equal; others may be there.'),
};

/** JSON Schema of a search's body. */
export const searchSchema = { ...bodySchema({ ...points, fields: searchFields }, 'update'), title: 'Point search' };

/** JSON Schema of a search's query parameters. */
export const searchQuery = Type.Object({
  filter: Type.Optional(Type.String({ description: '`kept`, `old`, or anything else for both.' })),
  ...Object.fromEntries(
    Object.keys(searchFields).map((name) => [name === 'meta' ? 'meta[…]' : name, Type.Optional(Type.String())]),
  ),
});

/** The search that query parameters ask for; `meta[key]=text` for texts. */
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

/** The device's points that are equal in all that is asked, as JSON text: one query. Throws 422 with all wrong fields. */
export async function searchPoints(scope: DeviceScope, asked: Body, archive: ArchiveFilter): Promise<string> {
  const reading = parseBody(searchFields, asked, 'update');
  assertValid(reading);
  const { meta = {}, ...columns } = reading.values as Record<string, string | number> & { meta?: StringMap };
  const texts = Object.entries(meta);
  const found = await scope.select(points, jsonAndMeta, { where: { ...columns, ...archive } });
  // A device has a thousand points at most, and the engines read JSON by different rules: texts are compared here.
  const matching =
    texts.length === 0 ? found : found.filter((point) => matches(JSON.parse(point.meta) as StringMap, texts));
  return jsonArray(matching.map((point) => point.json));
}

const matches = (meta: StringMap, texts: readonly (readonly [string, string])[]): boolean =>
  texts.every(([key, text]) => Object.hasOwn(meta, key) && meta[key] === text);
