import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Insertable, ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import { only } from '../db/table.ts';
import type { SequencePublication, SequenceVersion } from './publications.ts';
import { lockPublication, sequencePublications, sequenceVersions } from './publications.ts';

/** Bytes that a version counts beside its texts and its program. */
const emptyVersionSize = 1000;

/** Versions that are deleted in one statement: a few milliseconds. */
const stepSize = 20;

/** Publications that are read at a time. */
const batchSize = 500;

/** Versions without their programs. */
const versionSizes = only(sequenceVersions, 'publication_id', 'byte_size');

/** The content of a version. */
export type VersionContent = Pick<SequenceVersion, 'name' | 'color' | 'description' | 'copyright' | 'args' | 'body'>;

const textOf = ({ name, color, description, copyright, args, body }: VersionContent): string =>
  JSON.stringify([name, color, description, copyright, args, body]);

const sizeOf = (content: VersionContent): number => emptyVersionSize + Buffer.byteLength(textOf(content));

const ofDevice = ({ deviceId }: DeviceScope) =>
  sql`publication_id in (select id from sequence_publications where device_id = ${deviceId})`;

/** Returns the bytes of all versions that the garden published, withdrawn ones included. */
export const publishedBytes = (scope: DeviceScope): Promise<number> =>
  scope.server.sum(versionSizes, 'byte_size', { and: ofDevice(scope) });

/** Returns whether the newest version of a publication is offered and has this content. */
export async function isNewestVersion(
  scope: DeviceScope,
  publicationId: number,
  content: VersionContent,
): Promise<boolean> {
  const where = { publication_id: publicationId };
  const newest = await scope.server.first(sequenceVersions, { where, order: [['id', 'desc']] });
  // The order of keys is of no meaning.
  return newest?.withdrawn_at === null && isDeepStrictEqual(JSON.parse(textOf(newest)), JSON.parse(textOf(content)));
}

/** Stores a version. Must run in a transaction. */
export async function insertVersion(scope: DeviceScope, publicationId: number, content: VersionContent): Promise<void> {
  const values: Insertable<SequenceVersion> = {
    publication_id: publicationId,
    ...content,
    byte_size: sizeOf(content),
  };
  await scope.server.insert(sequenceVersions, values);
}

const unlessLinked = (counted = sql`true`) =>
  sql`not exists (select 1 from sequences links where links.sequence_version_id = sequence_versions.id and ${counted})`;

/** The links that keep a version from being deleted: a sequence of any garden that links to it, or only other gardens'. */
export type KeptBy = 'any garden' | 'other gardens';

/**
 * Deletes up to `limit` versions of the garden's publications that no sequence links to, of one publication or of all. Returns their
 * number. Must run in a transaction that updated the publications before, so that none is being installed.
 */
async function deleteSome(scope: DeviceScope, keptBy: KeptBy, publicationId: number | null): Promise<number> {
  const isUnused = unlessLinked(keptBy === 'any garden' ? undefined : sql`links.device_id <> ${scope.deviceId}`);
  const ids = await scope.server.select(sequenceVersions, idOf, {
    ...(publicationId !== null && { where: { publication_id: publicationId } }),
    and: sql`${ofDevice(scope)} and ${isUnused}`,
    limit: stepSize,
  });
  if (ids.length > 0) await scope.server.delete(versionSizes, { where: { id: ids } });
  return ids.length;
}

/** Deletes the versions of a withdrawn publication to which no sequence links. Must run in a transaction that updated the publication before. */
export async function deleteUninstalledVersions(scope: DeviceScope, publicationId: number): Promise<void> {
  while ((await deleteSome(scope, 'any garden', publicationId)) === stepSize) await setImmediate();
}

/** Changes of the rest of a garden's publications: with the device, they lose the author's name. */
export const withoutAuthor: Partial<SequencePublication> = { cached_author_email: '' };

/** Changes the garden's publications, and deletes some versions that no other garden installed. Returns whether there may be more. */
export async function removeSomePublications(scope: DeviceScope, changes = withoutAuthor): Promise<boolean> {
  return scope.transaction(async (inner) => {
    await inner.update(sequencePublications, changes, {});
    if ((await deleteSome(inner, 'other gardens', null)) === stepSize) return true;
    const isEmpty = sql`not exists (select 1 from sequence_versions where publication_id = sequence_publications.id)`;
    await inner.delete(sequencePublications, { and: isEmpty });
    return false;
  });
}

/** The same until there are no more. */
export async function removePublications(scope: DeviceScope, changes = withoutAuthor): Promise<void> {
  while (await removeSomePublications(scope, changes)) await setImmediate();
}

/** Deletes the versions of all gardens that were withdrawn, or whose garden was deleted, and to which no sequence links any more. */
export async function deleteUnusedVersions(server: ServerScope): Promise<void> {
  for (let last = 0, isLast = false; !isLast; ) {
    const batch = await server.rows(sequencePublications, { where: { id: { gt: last } }, limit: batchSize });
    for (const publication of batch) {
      last = publication.id;
      const isOwned = publication.device_id !== null;
      const where = { publication_id: last, ...(isOwned && { withdrawn_at: { not: null } }) };
      const query = { where, and: unlessLinked(), limit: stepSize };
      const deleteStep = () =>
        server.transaction(async (inner) => {
          await lockPublication(inner, publication);
          const ids = await inner.select(sequenceVersions, idOf, query);
          if (ids.length > 0) await inner.delete(versionSizes, { where: { id: ids } });
          return ids.length;
        });
      if ((await server.select(sequenceVersions, idOf, query)).length === 0) continue;
      while ((await deleteStep()) === stepSize) await setImmediate();
    }
    isLast = batch.length < batchSize;
  }
}
