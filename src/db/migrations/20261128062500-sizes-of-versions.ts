import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** The sizes of published versions, and which of them are installed. [ADR 91] */
export const sizesOfVersions: Migration = {
  number: 20261128062500,
  name: 'sizes of versions',
  expand(schema) {
    schema.addColumn('sequence_versions', 'byte_size', column.bigint().nullable());
    schema.createIndex('sequence_versions', ['publication_id', 'byte_size']);
    schema.createIndex('sequences', ['sequence_version_id']);
  },
};

/** The new index of versions replaces the index of their publications. */
export const oneIndexOfVersions: Migration = {
  number: 20261128062501,
  name: 'one index of versions',
  compatibleFrom: '0.1.0',
  contract(schema) {
    schema.dropIndex('sequence_versions', ['publication_id']);
  },
};

const sizeIn = (length: (column: string) => string): string =>
  `byte_size = 1000 + ${['name', 'color', 'description', 'copyright', 'args', 'body'].map((each) => `coalesce(${length(each)}, 0)`).join(' + ')}`;

/** Counts the versions from before there was a quota of them. */
export const countedVersions: Migration = {
  number: 20261128062502,
  name: 'counted versions',
  backfill: {
    table: 'sequence_versions',
    set: {
      sqlite: sizeIn((each) => `length(cast(${each} as blob))`),
      postgres: sizeIn((each) => `octet_length(cast(${each} as text))`),
    },
    where: 'byte_size is null',
    batchSize: 100,
  },
};
