import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { SequenceArgs } from './program-kinds.ts';

/** Published sequences. They and their versions outlive the sequence and the device. [rule P28] */
export const sequencePublications = table(
  'sequence_publications',
  {
    /** Shown as `author_device_id`. */
    device_id: column.bigint().nullable().references('devices', 'set null'),
    author_sequence_id: column.bigint(),
    /** The first user's address at the first publication; empty after that user or the device was deleted. */
    cached_author_email: column.text(),
    published: column.boolean(),
  },
  { reach: 'both', unique: [['author_sequence_id']], indexes: [['device_id'], ['cached_author_email']] },
);

export type SequencePublication = RowOf<typeof sequencePublications>;

/** Locks a publication until the end of a transaction: no version of it is installed and deleted at the same time. */
export async function lockPublication(server: ServerScope, { id, updated_at }: SequencePublication): Promise<void> {
  await server.update(sequencePublications, { updated_at }, { where: { id } });
}

/** Published versions of sequences: immutable except for their withdrawal. Not limited to a device, because all accounts may read offered ones. */
export const sequenceVersions = table(
  'sequence_versions',
  {
    publication_id: column.bigint().references('sequence_publications'),
    name: column.text(),
    color: column.text(),
    description: column.text().nullable(),
    copyright: column.text().nullable(),
    /** Null while the version is offered; never null once the publication is unpublished. */
    withdrawn_at: column.time().nullable(),
    args: column.json<SequenceArgs>(),
    body: column.json<readonly object[]>(),
    /** Size for quotas, in bytes; null: stored by an earlier version and not counted yet. */
    byte_size: column.bigint().nullable(),
  },
  { reach: 'server', indexes: [['publication_id', 'byte_size']] },
);

export type SequenceVersion = RowOf<typeof sequenceVersions>;
