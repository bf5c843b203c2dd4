import type { DialectName } from '../../db/dialect.ts';
import type { JsonExpressions } from '../../db/scope.ts';
import { jsonExpressions, jsonVariantExpressions } from '../../engine/serializer.ts';
import { maxStoredPoints, points } from '../../garden/points.ts';
import { tools } from '../../garden/tools.ts';
import type { Entry, EntryList } from '../import-entries.ts';
import { omitOldest } from '../import-entries.ts';
import { say } from '../messages.ts';
import type { FitContext, TransferRules } from '../transfer-rules.ts';

export const isArchived = ({ values }: Pick<Entry, 'values'>): boolean => (values.discarded_at ?? null) !== null;

/** Includes `discarded_at` in all archived points. Responses omit it for plants and tool slots, which an import would restore. */
const archivedPointJson = (): JsonExpressions => {
  const plain = jsonExpressions(points);
  const archived = jsonVariantExpressions(points, { key: 'archived', everywhere: ['discarded_at'] });
  const either = (dialect: DialectName): string =>
    `case when "points"."discarded_at" is null then ${plain[dialect]} else ${archived[dialect]} end`;
  return { key: 'export', sqlite: either('sqlite'), postgres: either('postgres') };
};

/** Removes tools from archived slots, and tools of the account that are in another of its slots. */
async function releaseTools(list: EntryList, { scope, reused, remarks }: FitContext): Promise<void> {
  const reusedTools = reused.get(tools.name) ?? new Map<number, number>();
  const placed =
    reusedTools.size === 0 ? [] : await scope.rows(points, { where: { tool_id: [...reusedTools.values()] } });
  const placedTools = new Set(placed.map(({ tool_id }) => tool_id));
  for (const { path, values } of list.entries) {
    if (typeof values.tool_id !== 'number') continue;
    const ownTool = reusedTools.get(values.tool_id) ?? null;
    if (isArchived({ values })) values.tool_id = null;
    else if (ownTool !== null && placedTools.has(ownTool)) {
      values.tool_id = null;
      remarks.changed(`${path}/tool_id`, say.otherSlot);
    }
  }
}

/** Omits the oldest archived points if there are too many points in total. */
function omitArchived(list: EntryList, { existingCount, remarks, ...context }: FitContext): void {
  const maxPoints = Math.min(context.maxPoints, maxStoredPoints);
  const archived = list.entries.filter(isArchived);
  const live = list.entries.length - archived.length;
  if (existingCount + live > maxPoints) {
    remarks.problem(`/${list.key}`, say.tooMany(maxPoints, 'points', existingCount + live));
    return;
  }
  const surplus = existingCount + list.entries.length - maxPoints;
  if (surplus <= 0) return;
  omitOldest(list, archived, surplus, ({ values }) => String(values.discarded_at));
  remarks.lost(`/${list.key}`, say.archivedPoints(surplus, maxPoints));
}

export const pointRules: TransferRules = {
  resource: points,
  json: archivedPointJson(),
  async fit(list, context) {
    await releaseTools(list, context);
    omitArchived(list, context);
  },
  // To clients, an archived point does not exist.
  isAnnounced: (entry) => !isArchived(entry),
};
