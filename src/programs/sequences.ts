import Type from 'typebox';
import type { Fields } from '../engine/fields.ts';
import { bigint, boolean, custom, oneOf, text } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { Problem, titleize } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { enums, languageVersion } from './corpus-args.ts';
import { jsonKind } from './stored-json.ts';

/** The colours of sequences and regimens. [Spec regimens] */
export const colors = enums.Color;

/** The arguments of a sequence as they are stored; what was sent may lack either. */
export interface SequenceArgs {
  readonly version: number;
  readonly locals: object;
}

/** What a new sequence declares. [Spec sequences] */
export const emptyArgs: SequenceArgs = { version: languageVersion, locals: { kind: 'scope_declaration', args: {} } };

const anyArgs = jsonKind<SequenceArgs>(false);

/** Only that it is an object, and its locals too, is told under its key; all else is the language's. [reference 4.3] */
function readArgs(value: unknown, name: string): SequenceArgs | Problem {
  const args = anyArgs.parse(value, name);
  if (args instanceof Problem) return args;
  const locals = args.locals ?? null;
  if (typeof locals === 'object' && !Array.isArray(locals)) return args;
  return new Problem({ locals: `${titleize('locals')} must be an object.` });
}

const argsKind: Kind<SequenceArgs> = {
  ...anyArgs,
  parse: readArgs,
  output: Type.Object({ version: Type.Literal(languageVersion), locals: Type.Object({}) }),
};

const idsKind: Kind<readonly number[]> = { ...jsonKind(true), output: Type.Array(Type.Integer({ minimum: 1 })) };

// The versions that sequences link to are other devices' rows, so what is shown of them stands here, in SQL. [ADR 3, reference 5.3]
const linked = (column: string): string =>
  `(select versions."${column}" from sequence_versions versions where versions.id = sequences.sequence_version_id)`;
const own =
  '(select mine.id from sequence_publications mine where mine.author_sequence_id = sequences.id and mine.published)';
const unlessPublished = (value: string, otherwise: string): string =>
  `case when ${own} is null then ${value} else ${otherwise} end`;

/** Programs come from the linked version unless the sequence is a fork of it. */
const fromVersion = (column: string): string =>
  `case when sequences.forked or sequences.sequence_version_id is null then sequences."${column}" ` +
  `else coalesce(${linked(column)}, sequences."${column}") end`;

/** Versions that are offered are of a publication that is published: when it is withdrawn, so are they. */
const offered =
  `(select '[' || coalesce(string_agg(cast(offered.id as text), ','), '') || ']' from (` +
  'select versions.id from sequence_versions versions where versions.withdrawn_at is null ' +
  `and versions.publication_id = coalesce(${own}, ${linked('publication_id')}) order by versions.id) offered)`;

/** A program of the robot: a list of steps. It shows its own, or those of the shared version that it links to. */
export const sequences = resource('sequences', {
  description: 'A program: a list of steps that the robot runs in order.',
  announced: 'Sequence',
  sync: 'listed',
  announcesEveryUpdate: true,
  fields: {
    args: custom<SequenceArgs>(argsKind)
      .default(emptyArgs)
      .shownAs(fromVersion('args'))
      .describe('What it declares: `locals`. In an update, a body without `args` declares nothing.'),
    color: oneOf(...colors).default('gray'),
    // Clients send 0 for "no folder". [decision 29]
    folder_id: bigint().nullByDefault().references('folders', 'set null', 'null'),
    forked: boolean()
      .default(false)
      .onUpdateOnly()
      .shownAs(unlessPublished('sequences.forked', 'false'))
      .describe('It has a program of its own although it links to a shared version.'),
    name: text().required().notNull().unique(),
    pinned: boolean().default(false),
    copyright: text()
      .max(1500)
      .nullByDefault()
      .onUpdateOnly()
      .shownAs(`coalesce(sequences.copyright, ${linked('copyright')})`),
    description: text()
      .nullByDefault()
      .shownAs(`coalesce(sequences.description, ${linked('description')})`),
    sequence_versions: custom<readonly number[]>(idsKind)
      .describe('The versions that can be installed, of its own publication or of the one that it links to.')
      .derived(offered),
    sequence_version_id: bigint()
      .nullByDefault()
      .readOnly()
      .shownAs(unlessPublished('sequences.sequence_version_id', 'null'))
      .describe('The shared version that it links to.'),
    kind: text().derived(`'sequence'`),
    body: custom<readonly object[]>(jsonKind(true))
      .required()
      .notNull()
      .shownAs(fromVersion('body'))
      .describe('The steps, in order.'),
  },
});

/** An update may clear the description. */
export const sequenceChanges = {
  ...sequences.fields,
  description: sequences.fields.description.emptyAllowed(),
} satisfies Fields;
