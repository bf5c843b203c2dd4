import { invalid, notFound } from '../core/errors.ts';
import { plainLetters } from '../core/plain-letters.ts';
import { sanitizeText } from '../db/codec.ts';
import type { Query, Selection, ServerScope } from '../db/scope.ts';
import { joinSql, nameSql, sql } from '../db/sql.ts';
import type { RowOf } from '../db/table.ts';
import { only } from '../db/table.ts';
import { say } from './messages.ts';
import type { SequenceVersion } from './publications.ts';
import { lockPublication, sequencePublications, sequenceVersions } from './publications.ts';

// The only queries that return programs of other devices: published versions, without their author.

const publicationIds = only(sequenceVersions, 'publication_id');

/** Returns a version even if it was withdrawn, since linked sequences keep it. */
export const findLinkedVersion = (server: ServerScope, id: number): Promise<SequenceVersion | undefined> =>
  server.first(sequenceVersions, { where: { id } });

/** Returns a version that is offered. Throws 404, also for a withdrawn one. [decision 31] */
export async function findPublicVersion(server: ServerScope, id: number): Promise<SequenceVersion> {
  const version = await server.first(sequenceVersions, { where: { id, withdrawn_at: null } });
  if (!version) throw notFound('Sequence version');
  return version;
}

/** Returns a version to install, inside a transaction; it is not deleted before the end of that. Throws 404 for an unknown one, 422 for a withdrawn one. [rule P30] */
export async function findOfferedVersion(server: ServerScope, id: number): Promise<SequenceVersion> {
  const found = await server.first(publicationIds, { where: { id } });
  const [publication] = found ? await server.rows(sequencePublications, { where: { id: found.publication_id } }) : [];
  if (!publication) throw notFound('Sequence version');
  await lockPublication(server, publication);
  const version = await findLinkedVersion(server, id);
  if (!version) throw notFound('Sequence version');
  if (version.withdrawn_at !== null) throw invalid({ sequence_version: say.withdrawn });
  return version;
}

/** The versions without their programs. */
const offers = only(sequenceVersions, 'name', 'color', 'description', 'copyright');

export type SharedOffer = RowOf<typeof offers>;

/** The newest offered version of each publication. */
const newestOffered = sql`withdrawn_at is null and id = (select max(others.id) from sequence_versions others
  where others.publication_id = sequence_versions.publication_id and others.withdrawn_at is null)`;

/** Returns the conditions of offers whose name, description or license contains a text. */
function offering(search: string): Pick<Query<SharedOffer>, 'and'> {
  const sought = plainLetters(sanitizeText(search)).trim();
  if (sought === '') return { and: newestOffered };
  // Characters with a meaning in patterns stand for themselves.
  const pattern = `%${sought.replaceAll(/[|%_]/g, '|$&')}%`;
  return {
    and: ({ plainLetters: plain }) => {
      const matches = ['name', 'description', 'copyright'].map(
        (column) => sql`${plain(nameSql(column))} like ${pattern} escape '|'`,
      );
      return sql`${newestOffered} and (${joinSql(matches, ' or ')})`;
    },
  };
}

/** Returns a page of the newest offered versions of all publications that contain a text, newest first. */
export const findOffers = (
  server: ServerScope,
  search: string,
  page: Pick<Query<SharedOffer>, 'limit' | 'offset'>,
): Promise<SharedOffer[]> => server.rows(offers, { ...offering(search), ...page, order: [['id', 'desc']] });

/** Returns the number of all of them. */
export const countOffers = (server: ServerScope, search: string): Promise<number> =>
  server.count(offers, offering(search));

/** An entry in the list of featured sequences. */
export interface FeaturedVersion {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
}

const featured: Selection<[publication: number, FeaturedVersion]> = {
  key: 'featured',
  expressions: ['publication_id', 'id', 'name', 'description', 'color'],
  read: ([publication, id, name, description, color]) => [
    Number(publication),
    {
      id: Number(id),
      name: String(name),
      description: description === null ? null : String(description),
      color: String(color),
    },
  ],
};

/** Returns the newest offered version of each publication of this author, newest first. [rule P34] */
export async function findFeaturedVersions(server: ServerScope, email: string): Promise<FeaturedVersion[]> {
  const where = { cached_author_email: email, published: true };
  const published = (await server.rows(sequencePublications, { where })).map(({ id }) => id);
  if (published.length === 0) return [];
  const offered = await server.select(sequenceVersions, featured, {
    where: { publication_id: published, withdrawn_at: null },
    order: [['id', 'desc']],
  });
  const newest = new Map<number, FeaturedVersion>();
  for (const [publication, version] of offered) if (!newest.has(publication)) newest.set(publication, version);
  return [...newest.values()];
}
