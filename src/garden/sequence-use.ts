import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { TargetKind } from '../programs/program-references.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';
import { say } from './messages.ts';

/** Returns a `beforeDestroy` hook that throws 422 under `key` if a sequence uses the record in one of these ways. [rule G34] */
export function assertNotUsedBySequences(key: string, ...kinds: readonly TargetKind[]) {
  return async (scope: DeviceScope, { id }: { readonly id: number }): Promise<void> => {
    const uses = await findUses(scope, kinds, [id], ['Sequence']);
    if (uses.length > 0) throw invalid({ [key]: say.inUse(describeOwners(uses)) });
  };
}
