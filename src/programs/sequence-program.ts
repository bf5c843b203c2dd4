import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { SequenceArgs, sequences } from './sequences.ts';
import { findLinkedVersion } from './shared-versions.ts';
import type { Tree } from './tree.ts';
import { sequenceTree } from './tree.ts';

export type Sequence = RowOf<typeof sequences>;

/** A sequence's program, as it is stored or as it was sent. */
export interface Program {
  readonly args: SequenceArgs;
  readonly body: readonly object[];
}

/** What a change says of the program. */
export interface ProgramChange {
  readonly args?: SequenceArgs | undefined;
  readonly body?: readonly object[] | undefined;
  readonly forked?: boolean | undefined;
}

/** The program that the sequence shows: its own, or that of the version it links to. [reference 4.1] */
export async function findShownProgram(scope: DeviceScope, sequence: Sequence): Promise<Program> {
  const { forked, sequence_version_id: link } = sequence;
  return (forked || link === null ? undefined : await findLinkedVersion(scope.server, link)) ?? sequence;
}

/** A linked sequence may have a program of its own that is not shown; one that says nothing counts as none. */
const hasOwnProgram = ({ args, body }: Program): boolean => body.length > 0 || 'body' in args.locals;

/**
 * The program that a change stores, to be checked; null if it stores none. A body without `args` declares nothing, `args`
 * without a body keep its own steps, shown or not, and a sequence that becomes a fork begins with what it showed. [decision 6, reference 4.4]
 */
export async function readChangedProgram(
  scope: DeviceScope,
  before: Sequence,
  { args, body, forked }: ProgramChange,
): Promise<Tree | null> {
  if (body) return sequenceTree({ ...args }, body);
  const isNewFork = forked === true && !before.forked && before.sequence_version_id !== null;
  const hasOwn = hasOwnProgram(before);
  if (!args && (!isNewFork || hasOwn)) return null;
  const kept = hasOwn ? before : await findShownProgram(scope, before);
  return sequenceTree({ ...(args ?? kept.args) }, kept.body);
}
