import { titleize } from '../engine/kinds.ts';
import { maxPoints } from '../garden/point-lifecycle.ts';
import { points } from '../garden/points.ts';
import { toPrintable } from '../programs/problem.ts';
import type { ExistingGarden, GardenLimits } from './import-existing.ts';
import { keptOf, mostOf, mostTakenOf, spoken, uniqueFields } from './import-existing.ts';
import type { EntryLists, Reused } from './import-known.ts';
import type { Entry, EntryList } from './import-records.ts';
import type { ImportRemarks } from './import-report.ts';

const isArchived = ({ values }: Entry): boolean => (values.discarded_at ?? null) !== null;

/** Names and pins that a document has twice, and tools that sit in two slots. */
export function assertUnique({ resource, entries }: EntryList, remarks: ImportRemarks): void {
  const fields = resource.name === points.name ? ['tool_id'] : uniqueFields(resource);
  for (const field of fields) {
    const seen = new Set<unknown>();
    for (const { path, values } of entries) {
      const value = values[field] ?? null;
      if (value === null) continue;
      if (seen.has(value))
        remarks.problem(`${path}/${field}`, `${titleize(field)} ${toPrintable(String(value))} stands there twice.`);
      seen.add(value);
    }
  }
}

/** Takes out of the lists what the account has under the same name or pin, which is used in its place. */
export function reuse(lists: EntryLists, existing: ExistingGarden, remarks: ImportRemarks): Reused {
  const reused = new Map<string, Map<number, number>>();
  for (const [table, list] of lists) {
    const ids = new Map<number, number>();
    for (const [field, values] of existing.unique.get(table) ?? []) {
      if (values.size === 0) continue;
      for (const entry of list.entries) {
        const id = values.get(entry.values[field]);
        if (id === undefined) continue;
        ids.set(entry.id, id);
        const what = `${titleize(field)} ${toPrintable(String(entry.values[field]))}`;
        remarks.leftOut(entry.path, `The account has one with the ${what} already, which is used as it is.`);
      }
    }
    list.entries = list.entries.filter(({ id }) => !ids.has(id));
    reused.set(table, ids);
  }
  return reused;
}

/** An archived slot holds no tool, and one that sits in a slot of the account stays there. */
export function freeTools(lists: EntryLists, reused: Reused, existing: ExistingGarden, remarks: ImportRemarks): void {
  const tools = reused.get('tools');
  for (const entry of lists.get(points.name)?.entries ?? []) {
    const { tool_id } = entry.values;
    if (typeof tool_id !== 'number') continue;
    if (isArchived(entry)) entry.values.tool_id = null;
    const inUse = tools?.get(tool_id);
    if (inUse === undefined || !existing.placedTools.has(inUse) || isArchived(entry)) continue;
    entry.values.tool_id = null;
    remarks.changed(`${entry.path}/tool_id`, 'The tool sits in another slot of the account, and stays there.');
  }
}

/** Points that are archived make room for those that are not: the oldest of them are left out. */
function makeRoomForPoints(list: EntryList, before: number, remarks: ImportRemarks): void {
  const archived = list.entries.filter(isArchived);
  const live = list.entries.length - archived.length;
  if (before + live > maxPoints) {
    remarks.problem(`/${list.key}`, `There may be at most ${maxPoints} points, not ${before + live}.`);
    return;
  }
  const surplus = before + list.entries.length - maxPoints;
  if (surplus <= 0) return;
  const since = ({ values }: Entry): string => String(values.discarded_at);
  const oldestFirst = archived.sort((a, b) => (since(a) < since(b) ? -1 : 1));
  const left = new Set(oldestFirst.slice(0, surplus));
  list.entries = list.entries.filter((entry) => !left.has(entry));
  remarks.lost(
    `/${list.key}`,
    `The ${surplus} oldest archived points were left out: there may be ${maxPoints} in all.`,
  );
}

/** Of what happened only the newest stays with an account: all else is not even stored. */
export function keepNewest(list: EntryList, limits: GardenLimits, remarks: ImportRemarks): void {
  const kept = keptOf(list.resource, limits);
  const surplus = kept === null ? 0 : list.entries.length - kept;
  if (surplus <= 0) return;
  // One without a time is of now.
  const since = ({ createdAt }: Entry): string => createdAt ?? '9999';
  const oldestFirst = [...list.entries].sort((a, b) => (since(a) === since(b) ? 0 : since(a) < since(b) ? -1 : 1));
  const left = new Set(oldestFirst.slice(0, surplus));
  list.entries = list.entries.filter((entry) => !left.has(entry));
  remarks.leftOut(
    `/${list.key}`,
    `The ${surplus} oldest ${spoken(list.resource)} were left out: the newest ${kept} are kept here.`,
  );
}

/** Whether the account may hold so much. */
export function assertLimits(
  lists: EntryLists,
  existing: ExistingGarden,
  limits: GardenLimits,
  remarks: ImportRemarks,
): void {
  for (const [table, list] of lists) {
    const before = existing.counts.get(table) ?? 0;
    if (table === points.name) makeRoomForPoints(list, before, remarks);
    const most = mostOf(list.resource, limits);
    const count = before + list.entries.length;
    const mostTaken = mostTakenOf(list.resource);
    if (most === null && list.entries.length > mostTaken)
      remarks.problem(
        `/${list.key}`,
        `An import takes at most ${mostTaken} ${spoken(list.resource)}, not ${list.entries.length}.`,
      );
    if (most !== null && count > most && list.entries.length > 0)
      remarks.problem(`/${list.key}`, `There may be at most ${most} ${spoken(list.resource)}, not ${count}.`);
  }
}
