import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { SequenceArgs } from './program-kinds.ts';
import type { sequences } from './sequences.ts';
import { findLinkedVersion } from './shared-versions.ts';
import type { Tree } from './tree.ts';
import { sequenceTree } from './tree.ts';

export type Sequence = RowOf<typeof sequences>;

/** The program of a sequence, stored or sent. */
export interface Program {
  readonly args: SequenceArgs;
  readonly body: readonly object[];
}

/** The fields of an update that concern the program. */
export interface ProgramChange {
  readonly args?: SequenceArgs | undefined;
  readonly body?: readonly object[] | undefined;
  readonly forked?: boolean | undefined;
}

/** Returns the program that the sequence shows: its own, or the linked version's. [rule P25] */
export async function findShownProgram(scope: DeviceScope, sequence: Sequence): Promise<Program> {
  const { forked, sequence_version_id: link } = sequence;
  return (forked || link === null ? undefined : await findLinkedVersion(scope.server, link)) ?? sequence;
}

/** Returns whether a linked sequence has a non-empty program of its own, which is not shown. */
const hasOwnProgram = ({ args, body }: Program): boolean => body.length > 0 || 'body' in args.locals;

/**
 * Returns the program that an update stores, or null if it stores none. A body without `args` resets the variables, `args`
 * without a body keep the sequence's own steps, shown or not, and a new fork starts with the shown program. [rule P24, decision 6]
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
