import { column } from '../db/columns.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { table } from '../db/table.ts';
import { checkProgram } from './checker.ts';
import type { TargetTable } from './corpus-args.ts';
import { farmEvents } from './farm-events.ts';
import type { Problem } from './problem.ts';
import type { OwnerKind } from './program-references.ts';
import { programReferences } from './program-references.ts';
import type { Diagnostic, ExistingRecords, ProgramUse } from './references.ts';
import { collectProblems, firstProblem, referencedIds } from './references.ts';
import { regimens } from './regimens.ts';
import { sequences } from './sequences.ts';
import type { Tree } from './tree.ts';
import { farmEventTree, regimenTree, sequenceTree } from './tree.ts';

/** Whose program it is: a record that is stored already. */
export interface Owner {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** What a program uses, each record once. */
export type Uses = readonly ProgramUse[];

/** A program was refused. Whoever asked for the check tells the problem under its own key. [reference 2.8] */
export class ProgramProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'ProgramProblem';
    this.problem = problem;
  }
}

const view = (name: TargetTable): Table<{ id: number }, 'device'> =>
  table(name, { device_id: column.bigint() }, { reach: 'device' });

const plainTargets = {
  sequences: view('sequences'),
  tools: view('tools'),
  point_groups: view('point_groups'),
  peripherals: view('peripherals'),
  sensors: view('sensors'),
} as const;

/** Points belong to the garden; of them a program needs to know only this. */
const namedPoints = view('points');

interface NamedPoint {
  readonly id: number;
  readonly pointerType: string;
  readonly isArchived: boolean;
}

/** A selection of its own: whole rows of the table mean all its columns to the garden. */
const namedPoint: Selection<NamedPoint> = {
  key: 'named point',
  expressions: ['"id"', '"pointer_type"', '"discarded_at"'],
  read: ([id, type, discarded]) => ({ id: Number(id), pointerType: String(type), isArchived: discarded !== null }),
};

const onlyId: Selection<[number, null]> = {
  key: 'id of named',
  expressions: ['"id"'],
  read: ([id]) => [Number(id), null],
};

/** Ids of points in the program as it is stored, whatever its tree uses them for. */
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

/** Archived points are there only for a program that holds them already. [decision 33] */
async function existingPoints(
  scope: DeviceScope,
  ids: readonly number[],
  owner: Owner | null,
): Promise<Map<number, string>> {
  const rows = await scope.select(namedPoints, namedPoint, { where: { id: ids } });
  const hasArchived = rows.some(({ isArchived }) => isArchived);
  const held = hasArchived && owner ? await storedPoints(scope, owner) : new Set();
  return new Map(
    rows.filter(({ id, isArchived }) => !isArchived || held.has(id)).map(({ id, pointerType }) => [id, pointerType]),
  );
}

/** Which of the records that a program names are the device's own: one query for each kind of them, however many are named. `owner` null: the program is new. [decisions 14, 33] */
export async function existingRecords(
  scope: DeviceScope,
  findings: readonly Diagnostic[],
  owner: Owner | null,
): Promise<ExistingRecords> {
  const existing = new Map<TargetTable, ReadonlyMap<number, string | null>>();
  for (const [target, ids] of referencedIds(findings))
    existing.set(
      target,
      target === 'points'
        ? await existingPoints(scope, ids, owner)
        : new Map(await scope.select(plainTargets[target], onlyId, { where: { id: ids } })),
    );
  return existing;
}

/** Checks a program, records included, and gives what it uses. Throws {@link ProgramProblem} for the first problem. */
export async function assertProgram(scope: DeviceScope, tree: Tree, owner: Owner | null): Promise<Uses> {
  const { diagnostics, uses } = checkProgram(tree);
  const problem = firstProblem(diagnostics, await existingRecords(scope, diagnostics, owner));
  if (problem) throw new ProgramProblem(problem);
  return uses;
}

/** All problems of a program in their order, at most 100. */
export async function problemsOfProgram(scope: DeviceScope, tree: Tree, owner: Owner | null): Promise<Problem[]> {
  const { diagnostics } = checkProgram(tree, 'all');
  return collectProblems(diagnostics, await existingRecords(scope, diagnostics, owner));
}

/** Stores what a program uses in place of what it used before; what it still uses stays as it is. In the transaction that stores the program. */
export async function keepUses(scope: DeviceScope, owner: Owner, uses: Uses): Promise<void> {
  const before = await scope.rows(programReferences, { where: { owner_kind: owner.kind, owner_id: owner.id } });
  const fresh = new Map(uses.map((use) => [nameOf(use), use]));
  const over = before.filter((row) => !fresh.delete(nameOf(row))).map(({ id }) => id);
  if (over.length > 0) await scope.delete(programReferences, { where: { id: over } });
  if (fresh.size === 0) return;
  const rows = [...fresh.values()].map((use) => ({ owner_kind: owner.kind, owner_id: owner.id, ...use }));
  await scope.insertAll(programReferences, rows);
}

const nameOf = ({ target_kind, target_id }: { readonly target_kind: string; readonly target_id: number }): string =>
  `${target_kind} ${target_id}`;

/** The program is gone, and what it used is free. */
export async function forgetUses(scope: DeviceScope, { kind, id }: Owner): Promise<void> {
  await scope.delete(programReferences, { where: { owner_kind: kind, owner_id: id } });
}
