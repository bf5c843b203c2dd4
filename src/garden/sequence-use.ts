import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { TargetKind } from '../programs/program-references.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';

/** A guard for `beforeDestroy`: 422 under `key`, with the names of the sequences that use the record in one of these ways. [reference: in-use rules] */
export function assertNotUsedBySequences(key: string, ...kinds: readonly TargetKind[]) {
  return async (scope: DeviceScope, { id }: { readonly id: number }): Promise<void> => {
    const uses = await findUses(scope, kinds, [id], ['Sequence']);
    if (uses.length > 0) throw invalid({ [key]: `Still in use by ${describeOwners(uses)}.` });
  };
}
