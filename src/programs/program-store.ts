import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { checkProgram } from './checker.ts';
import { farmEvents } from './farm-events.ts';
import type { ProgramProblem } from './problem.ts';
import type { OwnerKind } from './program-references.ts';
import { programReferences } from './program-references.ts';
import type { Diagnostic, ExistingRecords, ProgramUse } from './references.ts';
import { collectProblems, firstProblem, referencedIds } from './references.ts';
import { regimens } from './regimens.ts';
import { sequences } from './sequences.ts';
import type { TargetTable } from './targets.ts';
import { findTargets } from './targets.ts';
import type { Tree } from './tree.ts';
import { farmEventTree, regimenTree, sequenceTree } from './tree.ts';

/** A stored record that contains a program. */
export interface Owner {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** The records that a program uses, without duplicates. */
export type Uses = readonly ProgramUse[];

/** An invalid program. The caller reports the problem under the key of its endpoint. [rule P18] */
export class ProgramError extends Error {
  readonly problem: ProgramProblem;

  constructor(problem: ProgramProblem) {
    super(String(problem.message));
    this.name = 'ProgramError';
    this.problem = problem;
  }
}

/** Returns the ids of all points in the stored program. */
async function storedPoints(scope: DeviceScope, { kind, id }: Owner): Promise<ReadonlySet<number>> {
  const tree = await storedTree(scope, kind, id);
  return new Set(tree ? referencedIds(checkProgram(tree, 'all').diagnostics).get('points') : []);
}

async function storedTree(scope: DeviceScope, kind: OwnerKind, id: number): Promise<Tree | null> {
  const query = { where: { id } };
  switch (kind) {
    case 'Sequence': {
      const row = await scope.first(sequences, query);
      return row ? sequenceTree({ ...row.args }, row.body) : null;
    }
    case 'Regimen': {
      const row = await scope.first(regimens, query);
      return row ? regimenTree(row.body) : null;
    }
    case 'FarmEvent': {
      const row = await scope.first(farmEvents, query);
      return row ? farmEventTree(row.body) : null;
    }
  }
}

/**
 * Returns the referenced records that belong to the device, with one query per table. Archived points count only if the
 * stored program names them already; `owner` null: there is none. [decision 14, 33]
 */
export async function findExistingRecords(
  scope: DeviceScope,
  diagnostics: readonly Diagnostic[],
  owner: Owner | null,
): Promise<ExistingRecords> {
  const existing = new Map<TargetTable, ReadonlyMap<number, string | null>>();
  for (const [target, ids] of referencedIds(diagnostics)) {
    const records = await findTargets(scope, target, ids);
    const hasArchived = records.some(({ isArchived }) => isArchived);
    const stored = hasArchived && owner ? await storedPoints(scope, owner) : new Set();
    const usable = records.filter(({ id, isArchived }) => !isArchived || stored.has(id));
    existing.set(target, new Map(usable.map(({ id, pointerType }) => [id, pointerType])));
  }
  return existing;
}

/** Checks a program and its references, and returns its uses. Throws {@link ProgramError} with the first problem. */
export async function assertProgram(scope: DeviceScope, tree: Tree, owner: Owner | null): Promise<Uses> {
  const { diagnostics, uses } = checkProgram(tree);
  const problem = firstProblem(diagnostics, await findExistingRecords(scope, diagnostics, owner));
  if (problem) throw new ProgramError(problem);
  return uses;
}

/** Checks the body of a regimen or a farm event and returns its uses. Throws 422 under `key` with the first problem. [rule P18] */
export async function checkBody(scope: DeviceScope, tree: Tree, owner: Owner | null, key: string): Promise<Uses> {
  try {
    return await assertProgram(scope, tree, owner);
  } catch (error) {
    if (error instanceof ProgramError) throw invalid({ [key]: error.problem.message });
    throw error;
  }
}

/** Returns all problems of a program in order, at most 100. */
export async function findProgramProblems(
  scope: DeviceScope,
  tree: Tree,
  owner: Owner | null,
): Promise<ProgramProblem[]> {
  const { diagnostics } = checkProgram(tree, 'all');
  return collectProblems(diagnostics, await findExistingRecords(scope, diagnostics, owner));
}

/** Replaces the stored uses of a program; unchanged rows are kept. Must run in the transaction that stores the program. */
export async function storeUses(scope: DeviceScope, owner: Owner, uses: Uses): Promise<void> {
  const before = await scope.rows(programReferences, { where: { owner_kind: owner.kind, owner_id: owner.id } });
  const added = new Map(uses.map((use) => [useKey(use), use]));
  const removed = before.filter((row) => !added.delete(useKey(row))).map(({ id }) => id);
  if (removed.length > 0) await scope.delete(programReferences, { where: { id: removed } });
  if (added.size === 0) return;
  const rows = [...added.values()].map((use) => ({ owner_kind: owner.kind, owner_id: owner.id, ...use }));
  await scope.insertAll(programReferences, rows);
}

const useKey = ({ target_kind, target_id }: { readonly target_kind: string; readonly target_id: number }): string =>
  `${target_kind} ${target_id}`;

/** Deletes the stored uses of a deleted program. */
export async function deleteUses(scope: DeviceScope, { kind, id }: Owner): Promise<void> {
  await scope.delete(programReferences, { where: { owner_kind: kind, owner_id: id } });
}
