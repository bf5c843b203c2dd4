import { setImmediate } from 'node:timers/promises';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import { idOf } from '../db/statements.ts';
import { only } from '../db/table.ts';
import type { SequenceVersion } from './publications.ts';
import { sequencePublications, sequenceVersions } from './publications.ts';

/** Bytes that a version counts beside its texts and its program. */
const emptyVersionSize = 1000;

/** Versions that are deleted in one statement: a few milliseconds. */
const stepSize = 20;

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
  return newest?.withdrawn_at === null && textOf(newest) === textOf(content);
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

/** What keeps a version from being deleted: a sequence of any garden that links to it, or only those of other gardens. */
export type KeptBy = 'any garden' | 'other gardens';

/**
 * Deletes up to `limit` versions of the garden's publications that no sequence links to, of one publication or of all. Returns
 * how many. Must run in a transaction that updated the publications before, so that none is being installed.
 */
async function deleteSome(scope: DeviceScope, keptBy: KeptBy, publicationId: number | null): Promise<number> {
  const counted = keptBy === 'any garden' ? sql`true` : sql`links.device_id <> ${scope.deviceId}`;
  const isUnused = sql`not exists (select 1 from sequences links where links.sequence_version_id = sequence_versions.id and ${counted})`;
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

/** Removes the author's name from what the garden published, and deletes some versions that no other garden installed. Returns whether there may be more. */
export async function removeSomePublications(scope: DeviceScope): Promise<boolean> {
  return scope.transaction(async (inner) => {
    await inner.update(sequencePublications, { cached_author_email: '' }, {});
    if ((await deleteSome(inner, 'other gardens', null)) === stepSize) return true;
    const isEmpty = sql`not exists (select 1 from sequence_versions where publication_id = sequence_publications.id)`;
    await inner.delete(sequencePublications, { and: isEmpty });
    return false;
  });
}

/** The same until there are no more. */
export async function removePublications(scope: DeviceScope): Promise<void> {
  while (await removeSomePublications(scope)) await setImmediate();
}
