import { bigint, boolean, of, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { storedJson } from './stored-json.ts';

/** The colours of sequences and regimens. [Spec regimens] */
export const colors = ['blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'gray', 'red'] as const;

interface SequenceArgs {
  version: number;
  locals: object;
}

/** What a new sequence declares. [Spec sequences] */
const emptyScope: SequenceArgs = { version: 20180209, locals: { kind: 'scope_declaration', args: {} } };

/** A program of the robot: a list of steps. Its routes come with the command language. */
export const sequences = resource('sequences', {
  about: 'A program: a list of steps that the robot runs in order.',
  announced: 'Sequence',
  sync: 'listed',
  fields: {
    name: text().required().unique(),
    color: oneOf(...colors).default('gray'),
    folder_id: bigint().nullable().references('folders', 'set null', 'null'),
    pinned: boolean().default(false),
    forked: boolean().default(false),
    description: text().nullable(),
    copyright: text().max(1500).nullable(),
    sequence_version_id: bigint().unset().readOnly(),
    args: of<SequenceArgs>(storedJson(false)).default(emptyScope),
    body: of<object[]>(storedJson(true)).required(),
  },
});
