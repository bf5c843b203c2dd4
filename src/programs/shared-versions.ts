import { invalid, notFound } from '../core/errors.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
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
