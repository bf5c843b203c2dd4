import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Owner, Uses } from './program-store.ts';
import { assertProgram, ProgramProblem } from './program-store.ts';
import type { Tree } from './tree.ts';

/** Checks the body of a regimen or a farm event and gives what it uses. Throws 422 under `key` with the first problem. `owner` null: it is new. [reference 2.8] */
export async function usesOfBody(scope: DeviceScope, tree: Tree, owner: Owner | null, key: string): Promise<Uses> {
  try {
    return await assertProgram(scope, tree, owner);
  } catch (error) {
    if (error instanceof ProgramProblem) throw invalid({ [key]: error.problem.message });
    throw error;
  }
}
