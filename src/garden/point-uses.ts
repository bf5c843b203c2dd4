import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';
import type { Point, PointerType } from './points.ts';

const words: Readonly<Record<PointerType, string>> = {
  GenericPointer: 'point',
  Plant: 'plant',
  ToolSlot: 'slot',
  Weed: 'weed',
};

/** Items that a sentence names at most. */
const maxNamed = 20;

const placeOf = ({ pointer_type, x, y, z }: Point): string => `${words[pointer_type]} at (${x}, ${y}, ${z})`;

/**
 * Throws 422 `whoops` if a program needs one of these points: by its id, or as the slot of a tool that a sequence uses.
 * Two queries for the uses, however many points there are. Archived points are never in use. [reference: in-use rules, decisions 8, 32]
 */
export async function assertUnused(scope: DeviceScope, rows: readonly Point[]): Promise<void> {
  const live = rows.filter(({ discarded_at }) => discarded_at === null);
  const toolIds = live.flatMap(({ tool_id }) => tool_id ?? []);
  const direct = await findUses(
    scope,
    ['point', 'resource'],
    live.map(({ id }) => id),
  );
  const byTool = await findUses(scope, ['tool'], toolIds, ['Sequence']);
  if (direct.length === 0 && byTool.length === 0) return;
  const usedIds = new Set(direct.map(({ targetId }) => targetId));
  const usedTools = new Set(byTool.map(({ targetId }) => targetId));
  const used = live.filter(({ id, tool_id }) => usedIds.has(id) || (tool_id !== null && usedTools.has(tool_id)));
  const places = used.slice(0, maxNamed).map(placeOf);
  if (used.length > maxNamed) places.push(`${used.length - maxNamed} more`);
  throw invalid({ whoops: `Still in use by ${describeOwners([...direct, ...byTool])}: ${places.join('; ')}.` });
}
