import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import { notFound } from '../core/errors.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { integer, text } from '../engine/fields.ts';
import { FixedContent } from '../engine/fixed-content.ts';
import { Type } from '../engine/json-schema.ts';
import { queryOf } from '../engine/query.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jsonContentType } from '../engine/route.ts';
import { cropSchema } from './crop-columns.ts';
import type { CropSearch } from './crop-search.ts';

const query = queryOf('CropSearch', {
  search: text().emptyAllowed().max(80, 'field').default('').describe('A name or a part of it, in any language.'),
  limit: integer().range(1, 1000).default(100).describe('The maximum number of crops.'),
});

/** Replies are kept for this many of the last searches. */
const maxKeptReplies = 200;

/** Clients may keep crops for an hour without asking. */
const cached = { 'cache-control': 'public, max-age=3600' };

const common = { access: 'public', tag: 'Garden', method: 'GET', addition: true } as const;

/** The catalog of crops, which needs no token and is the same for all. */
export function cropRoutes(crops: () => Promise<CropSearch>): PublicRoute[] {
  const replies = new LRUCache<string, FixedContent>(maxEntries(maxKeptReplies));
  const replyFor = async (key: string, read: (crops: CropSearch) => object): Promise<FixedContent> => {
    const known = replies.get(key);
    if (known) return known;
    const content = new FixedContent(JSON.stringify(read(await crops())), jsonContentType, cached);
    replies.set(key, content);
    return content;
  };
  return [
    {
      ...common,
      path: '/api/crops',
      summary: 'Search the catalog of crops',
      description:
        'Returns garden plants by their names and everyday names (`synonyms`) in any of the languages, the best match first: whole names, words of names, then beginnings. Accents, plurals and one typo are tolerated. Without `search`, all in the order of their English names.',
      query: query.schema,
      replies: { 200: Type.Array(cropSchema), 422: fieldFailuresSchema },
      async handle(_scope, call) {
        const { search: words, limit } = query.parse(call);
        const reply = await replyFor(JSON.stringify([words, limit]), (all) => all.find(words, limit));
        return reply.reply(call);
      },
    },
    {
      ...common,
      path: '/api/crops/:slug',
      summary: 'Show a crop',
      description: 'Returns the garden plant with this slug, which is the `openfarm_slug` of its plants.',
      params: Type.Object({ slug: Type.String() }),
      replies: { 200: cropSchema },
      async handle(_scope, call) {
        const { slug = '' } = call.params;
        const reply = await replyFor(slug, (all) => {
          const crop = all.get(slug);
          if (!crop) throw notFound('Crop');
          return crop;
        });
        return reply.reply(call);
      },
    },
  ];
}
