import { labels } from '../core/field-labels.ts';
import type { Fields } from '../engine/fields.ts';
import { bigint, boolean, custom, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { enums } from './corpus-args.ts';
import { exampleNode } from './node-examples.ts';
import type { SequenceArgs } from './program-kinds.ts';
import { argsKind, emptyArgs, idsKind, nodesKind } from './program-kinds.ts';

/** The colors of sequences and regimens. [rule P36] */
export const colors = enums.Color;

// Linked versions are rows of other devices, which no device scope can read; SQL expressions show their fields. [rule P25, P32, ADR 3]
const linked = (column: string): string =>
  `(select versions."${column}" from sequence_versions versions where versions.id = sequences.sequence_version_id)`;
const own =
  '(select mine.id from sequence_publications mine where mine.author_sequence_id = sequences.id and mine.published)';
const unlessPublished = (value: string, otherwise: string): string =>
  `case when ${own} is null then ${value} else ${otherwise} end`;

/** A field of the program comes from the linked version unless the sequence is forked. */
const fromVersion = (column: string): string =>
  `case when sequences.forked or sequences.sequence_version_id is null then sequences."${column}" ` +
  `else coalesce(${linked(column)}, sequences."${column}") end`;

/** The ids of offered versions. Unpublishing withdraws all versions, so the publication itself need not be checked. */
const offered =
  `(select '[' || coalesce(string_agg(cast(offered.id as text), ','), '') || ']' from (` +
  'select versions.id from sequence_versions versions where versions.withdrawn_at is null ' +
  `and versions.publication_id = coalesce(${own}, ${linked('publication_id')}) order by versions.id) offered)`;

/** Sequences that a garden may have, however they come in. */
export const maxStoredSequences = 5000;

/** A program of the robot. It shows its own steps, or the steps of the shared version that it links to. */
export const sequences = resource('sequences', {
  tag: 'Programs',
  max: maxStoredSequences,
  maxNote: 'New ones are refused when there are 75, or `max_sequence_count` of the device.',
  example: { name: 'Water the tomatoes', body: [exampleNode('move_absolute'), exampleNode('wait')] },
  shownExample: { kind: 'sequence', sequence_versions: [] },
  description: 'A program: a list of steps that the robot runs in order.',
  changeLogName: 'Sequence',
  sync: 'listed',
  announcesEveryUpdate: true,
  // Whether a version is installed.
  indexes: [['sequence_version_id']],
  fields: {
    args: custom<SequenceArgs>(argsKind)
      .default(emptyArgs)
      .shownAs(fromVersion('args'))
      .describe('Its variables: `locals`. In an update, a body without `args` resets them.')
      .label('Variables', 'Variables'),
    color: oneOf(...colors)
      .default('gray')
      .label(labels.color),
    // Clients send 0 for "no folder". [decision 29]
    folder_id: bigint().nullByDefault().references('folders', 'set null', 'null').label('Folder', 'Dossier'),
    forked: boolean()
      .default(false)
      .onUpdateOnly()
      .shownAs(unlessPublished('sequences.forked', 'false'))
      .describe(
        'Whether it shows its own program although it links to a shared version. Only a client sets it: without `true`, an update of the steps does not show.',
      )
      .label('Changed since it was installed', 'Modifié depuis l’installation'),
    name: text().required().notNull().unique().label(labels.name),
    pinned: boolean().default(false).label('On the robot page', 'Sur la page du robot'),
    copyright: text()
      .max(1500)
      .nullByDefault()
      .onUpdateOnly()
      .shownAs(`coalesce(sequences.copyright, ${linked('copyright')})`)
      .label(labels.copyright),
    description: text()
      .nullByDefault()
      .shownAs(`coalesce(sequences.description, ${linked('description')})`)
      .label(labels.description),
    sequence_versions: custom<readonly number[]>(idsKind)
      .describe('The offered versions of its own publication, or of the one that it links to.')
      .label('Shared versions', 'Versions partagées')
      .derived(offered),
    sequence_version_id: bigint()
      .nullByDefault()
      .readOnly()
      .shownAs(unlessPublished('sequences.sequence_version_id', 'null'))
      .describe('The shared version that it links to.')
      .label('Shared version', 'Version partagée'),
    kind: text().label(labels.kind).derived(`'sequence'`),
    body: custom<readonly object[]>(nodesKind('sequence'))
      .required()
      .notNull()
      .shownAs(fromVersion('body'))
      .describe('The steps, in order.')
      .label(labels.body),
  },
});

/** An update may clear the description. */
export const sequenceChanges = {
  ...sequences.fields,
  description: sequences.fields.description.emptyAllowed(),
} satisfies Fields;
