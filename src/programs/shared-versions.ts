import { invalid, notFound } from '../core/errors.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
import type { SequenceVersion } from './publications.ts';
import { sequencePublications, sequenceVersions } from './publications.ts';

// The only ways to another device's programs. Each reads what its author shared, and nothing of the author.

/** A version whatever became of it since: who linked to it keeps it. */
export const findLinkedVersion = (server: ServerScope, id: number): Promise<SequenceVersion | undefined> =>
  server.first(sequenceVersions, { where: { id } });

/** A version that everybody may read. Throws 404 as well where it was withdrawn. [decision 31] */
export async function findPublicVersion(server: ServerScope, id: number): Promise<SequenceVersion> {
  const version = await server.first(sequenceVersions, { where: { id, withdrawn_at: null } });
  if (!version) throw notFound('Sequence version');
  return version;
}

/** A version to install. Throws 404 for an unknown one, 422 for one that was withdrawn. [reference 5.2] */
export async function findOfferedVersion(server: ServerScope, id: number): Promise<SequenceVersion> {
  const version = await findLinkedVersion(server, id);
  if (!version) throw notFound('Sequence version');
  if (version.withdrawn_at !== null)
    throw invalid({ sequence_version: 'This version is no longer shared by its author.' });
  return version;
}

/** What a list of shared programs shows of each. */
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

/** The newest offered version of each publication of this author, the newest first. [reference 5.6] */
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
