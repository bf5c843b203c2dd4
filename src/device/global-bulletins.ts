import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import type { PublicRoute } from '../engine/route.ts';

/** News from the operator; alerts refer to them by slug. [rule D16] */
export const globalBulletins = table(
  'global_bulletins',
  {
    href: column.text().nullable(),
    href_label: column.text().nullable(),
    slug: column.text(),
    title: column.text().nullable(),
    type: column.text(),
    content: column.text(),
  },
  { reach: 'server', unique: [['slug']] },
);

const textOrNull = Type.Nullable(Type.String());

const bulletin = Type.Object(
  {
    id: idSchema,
    created_at: timeSchema,
    updated_at: timeSchema,
    href: textOrNull,
    href_label: textOrNull,
    slug: Type.String(),
    title: textOrNull,
    type: Type.String(),
    content: Type.String(),
  },
  {
    $id: 'GlobalBulletin',
    examples: [
      {
        id: 1,
        created_at: '2026-04-01T08:00:00.000Z',
        updated_at: '2026-04-01T08:00:00.000Z',
        href: null,
        href_label: null,
        slug: 'spring-news',
        title: 'News',
        type: 'info',
        content: 'The server moves on Sunday.',
      },
    ],
  },
);

/** `GET /api/global_bulletins/:slug`. [rule D16, D17] */
export const showGlobalBulletin: PublicRoute = {
  access: 'public',
  tag: 'Operator',
  method: 'GET',
  path: '/api/global_bulletins/:slug',
  summary: 'Show a global bulletin, or null',
  description: 'Returns a piece of news that an alert refers to by its slug, or null if there is none.',
  params: Type.Object({ slug: Type.String() }),
  replies: { 200: Type.Union([bulletin, Type.Null()]) },
  acceptsAnyVersion: true,
  handle: async (scope, call) =>
    (await scope.first(globalBulletins, { where: { slug: call.params.slug ?? '' } })) ?? null,
};
