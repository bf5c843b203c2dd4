import type { DeviceRow } from '../device/devices.ts';
import { titleize } from '../engine/kinds.ts';
import type { AnyResource } from '../engine/resource.ts';
import { toPrintable } from '../programs/problem.ts';
import type { Entry, EntryList, EntryLists, ReusedIds } from './import-entries.ts';
import { filterEntries } from './import-entries.ts';
import type { ExistingRecords } from './import-existing.ts';
import { pluralOf, uniqueFields } from './import-existing.ts';
import { maxRecordsPerResource } from './import-limits.ts';
import type { ImportRemarks } from './import-report.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { PlanContext } from './transfer-rules.ts';

/** Returns the fields whose values must be unique in a document: those unique per account or on the whole server. */
const distinctFields = (resource: AnyResource): string[] => [
  ...uniqueFields(resource),
  ...(resource.options.uniqueTogether ?? []).flatMap(([field, ...others]) =>
    field !== undefined && others.length === 0 ? [field] : [],
  ),
];

/** Reports duplicate values of unique fields in a document. */
export function assertUnique({ resource, entries }: EntryList, remarks: ImportRemarks): void {
  for (const field of distinctFields(resource)) {
    const seen = new Set<unknown>();
    for (const { path, values } of entries) {
      const value = values[field] ?? null;
      if (value === null) continue;
      if (seen.has(value))
        remarks.problem(
          `${path}/${field}`,
          `There are two records with ${titleize(field)} ${toPrintable(String(value))}.`,
        );
      seen.add(value);
    }
  }
}

/** Removes entries whose unique value belongs to a record of the account; that record is used instead. */
export function reuseExisting(lists: EntryLists, existing: ExistingRecords, remarks: ImportRemarks): ReusedIds {
  const reused = new Map<string, Map<number, number>>();
  for (const [table, list] of lists) {
    const ids = new Map<number, number>();
    for (const [field, values] of existing.unique.get(table) ?? []) {
      if (values.size === 0) continue;
      for (const entry of list.entries) {
        const id = values.get(entry.values[field]);
        if (id === undefined) continue;
        ids.set(entry.id, id);
        const value = `${titleize(field)} ${toPrintable(String(entry.values[field]))}`;
        remarks.omitted(entry.path, `The account's own record with ${value} is used instead.`);
      }
    }
    list.entries = list.entries.filter(({ id }) => !ids.has(id));
    reused.set(table, ids);
  }
  return reused;
}

/** Omits the oldest entries beyond the maximum of kept records, as the server would delete them. */
export function keepNewest(list: EntryList, device: DeviceRow, now: number, remarks: ImportRemarks): void {
  const maxKept = rulesOf(list.resource).maxKept?.(device, now) ?? list.resource.options.maxKept ?? null;
  const surplus = maxKept === null ? 0 : list.entries.length - maxKept;
  if (surplus <= 0) return;
  // An entry without a time is stored with the current one.
  const timeOf = ({ createdAt }: Entry): string => createdAt ?? '9999';
  const oldestFirst = [...list.entries].sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) < timeOf(b) ? -1 : 1));
  const omitted = new Set(oldestFirst.slice(0, surplus));
  list.entries = list.entries.filter((entry) => !omitted.has(entry));
  remarks.omitted(
    `/${list.key}`,
    `The ${surplus} oldest ${pluralOf(list.resource)} were omitted: only the newest ${maxKept} are kept.`,
  );
}

/** Reports a list that exceeds the maximum of the account or of an import. */
export function assertLimit(
  { key, resource, entries }: EntryList,
  device: DeviceRow,
  existingCount: number,
  remarks: ImportRemarks,
): void {
  const { limit, maxImported = maxRecordsPerResource } = rulesOf(resource);
  const max = limit?.(device) ?? resource.options.limit?.count ?? null;
  const count = existingCount + entries.length;
  if (max === null && entries.length > maxImported)
    remarks.problem(
      `/${key}`,
      `An import may contain at most ${maxImported} ${pluralOf(resource)}, not ${entries.length}.`,
    );
  if (max !== null && count > max && entries.length > 0)
    remarks.problem(`/${key}`, `There may be at most ${max} ${pluralOf(resource)}, not ${count}.`);
}

/** A field that contains the id of another record. */
export interface ReferenceField {
  readonly name: string;
  readonly table: string;
  readonly canBeNull: boolean;
}

/** Returns the fields of a resource that refer to records of the device. */
export const referenceFields = (resource: AnyResource): ReferenceField[] =>
  Object.entries(resource.fields).flatMap(([name, { traits }]) =>
    traits.foreignKey && traits.ownership
      ? [{ name, table: traits.foreignKey.table, canBeNull: traits.canBeNull }]
      : [],
  );

const singular = (table: string): string => table.replaceAll('_', ' ').replace(/s$/, '');

/**
 * Checks the references of a list's records. One to a missing record is cleared if the record does not require it; otherwise
 * it is a problem. A record that requires an omitted one is omitted, too.
 */
export async function resolveReferences(list: EntryList, { known, remarks, slices }: PlanContext): Promise<void> {
  const fields = referenceFields(list.resource);
  if (fields.length === 0) return;
  const { requiresReferences } = rulesOf(list.resource);
  const isRequired = ({ canBeNull }: ReferenceField, { values }: Entry): boolean =>
    !canBeNull || (requiresReferences?.(values) ?? false);
  await filterEntries(list, known, slices, (entry) => {
    for (const field of fields) {
      const id = entry.values[field.name];
      if (typeof id !== 'number') continue;
      const state = known.state(field.table, id);
      if (state === 'stored') continue;
      const path = `${entry.path}/${field.name}`;
      const what = `${singular(field.table)} ${id}`;
      if (!isRequired(field, entry)) {
        entry.values[field.name] = null;
        // Clients send 0 for "none".
        if (id !== 0) remarks.changed(path, `The document has no ${what}: ${titleize(field.name)} was cleared.`);
      } else if (state === 'missing') remarks.problem(path, `The document has no ${what}.`);
      else {
        remarks.lost(entry.path, `This requires ${what}, which was omitted.`);
        return false;
      }
    }
    return true;
  });
}
