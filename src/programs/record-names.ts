import type { DeviceScope } from '../db/scope.ts';
import { checkProgram } from './checker.ts';
import type { RecordNames } from './program-text.ts';
import { referencedIds } from './references.ts';
import type { TargetTable } from './targets.ts';
import { findTargets } from './targets.ts';
import type { Tree } from './tree.ts';

/** Returns the names of the device's records that a program names, with one query per table. */
export async function findRecordNames(scope: DeviceScope, tree: Tree): Promise<RecordNames> {
  const names = new Map<TargetTable, ReadonlyMap<number, string>>();
  for (const [target, ids] of referencedIds(checkProgram(tree, 'all').diagnostics))
    names.set(target, new Map((await findTargets(scope, target, ids)).map(({ id, label }) => [id, label])));
  return (target, id) => names.get(target)?.get(id) || undefined;
}
