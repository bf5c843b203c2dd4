import { column } from '../db/columns.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { SequenceArgs } from './sequences.ts';

/**
 * A sequence that its owner shares, once published. Both outlive the sequence and the device: others have what was shared, and
 * run it. [reference 5.1]
 */
export const sequencePublications = table(
  'sequence_publications',
  {
    /** Shown as `author_device_id`. */
    device_id: column.bigint().nullable().references('devices', 'set null'),
    author_sequence_id: column.bigint(),
    /** The first user's address when it was first published; empty once that account or the device is gone. */
    cached_author_email: column.text(),
    published: column.boolean(),
  },
  { reach: 'both', unique: [['author_sequence_id']], indexes: [['device_id'], ['cached_author_email']] },
);

export type SequencePublication = RowOf<typeof sequencePublications>;

/** What was published at one time: never changed, only withdrawn. Of no device: everybody may read what is offered. */
export const sequenceVersions = table(
  'sequence_versions',
  {
    publication_id: column.bigint().references('sequence_publications'),
    name: column.text(),
    color: column.text(),
    description: column.text().nullable(),
    copyright: column.text().nullable(),
    /** Null while it is offered, which it is only while its publication is published. */
    withdrawn_at: column.time().nullable(),
    args: column.json<SequenceArgs>(),
    body: column.json<readonly object[]>(),
  },
  { reach: 'server' },
);

export type SequenceVersion = RowOf<typeof sequenceVersions>;
