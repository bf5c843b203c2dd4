import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { accountDocument } from './account-document.ts';
import { assertLimit, assertUnique, keepNewest, resolveReferences, reuseExisting } from './import-constraints.ts';
import type { SentDocument } from './import-document.ts';
import { assertAccountDocument } from './import-document.ts';
import type { EntryList, EntryLists, ReusedIds, TimeSlices } from './import-entries.ts';
import { KnownRecords } from './import-entries.ts';
import { noRecords, readExisting } from './import-existing.ts';
import { parseRecords } from './import-records.ts';
import type { ImportMode, ImportRemarks } from './import-report.ts';
import { escapeKey } from './import-report.ts';
import type { ConfigSettings, Settings } from './import-settings.ts';
import { parseConfigs } from './import-settings.ts';
import { parseDevice } from './rules/device.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { FileArchive } from './transfer-rules.ts';

/** The records to store. All ids are those of the document. */
export interface ImportPlan {
  readonly lists: EntryLists;
  readonly reused: ReusedIds;
  /** Null: the account keeps its own settings. */
  readonly device: Settings | null;
  readonly configs: readonly ConfigSettings[];
}

/** Reports keys of a document that are unknown or never imported. */
function reportOtherKeys({ values, lists }: SentDocument, remarks: ImportRemarks): void {
  const parts = new Map(accountDocument.map((part) => [part.key, part]));
  for (const [key, list] of lists) {
    const part = parts.get(key);
    if (!part) remarks.omitted(`/${escapeKey(key)}`, 'This key is unknown.');
    else if (part.kind === 'users' && list.length > 0)
      remarks.omitted(`/${key}`, 'Users and their sessions are never imported.');
  }
  for (const key of values.keys()) if (!parts.has(key)) remarks.omitted(`/${escapeKey(key)}`, 'This key is unknown.');
}

export interface PlanOptions {
  readonly mode: ImportMode;
  readonly archive: FileArchive | null;
  readonly remarks: ImportRemarks;
  readonly slices: TimeSlices;
}

/** Parses a document and checks everything that can be checked without storing it. Adds problems to the remarks. Throws 422 if it is not the document of an account. */
export async function planImport(
  scope: DeviceScope,
  document: SentDocument,
  { mode, archive, remarks, slices }: PlanOptions,
): Promise<ImportPlan> {
  assertAccountDocument(document);
  reportOtherKeys(document, remarks);
  const device = await ownDevice(scope);
  const lists = new Map<string, EntryList>();
  for (const part of accountDocument) {
    if (part.kind !== 'list') continue;
    const list = await parseRecords(scope, part, document.lists.get(part.key) ?? [], remarks, slices);
    assertUnique(list, remarks);
    keepNewest(list, device, scope.clock.now(), remarks);
    lists.set(part.resource.name, list);
    await slices.yield();
  }
  const existing = mode === 'merge' ? await readExisting(scope) : noRecords;
  const reused = reuseExisting(lists, existing, remarks);
  const base = { scope, device, archive, lists, reused, remarks, slices };
  for (const [table, list] of lists) {
    const existingCount = existing.counts.get(table) ?? 0;
    await rulesOf(list.resource).fit?.(list, { ...base, existingCount });
    assertLimit(list, device, existingCount, remarks);
  }
  const context = { ...base, known: new KnownRecords(lists, reused) };
  for (const list of inDependencyOrder(lists)) {
    await resolveReferences(list, context);
    await rulesOf(list.resource).check?.(list, context);
  }
  if (mode === 'merge') {
    remarks.omitted('/device', 'The account keeps its own settings and configs.');
    return { lists, reused, device: null, configs: [] };
  }
  const settings = await parseDevice(document.values.get('device'), context);
  return { lists, reused, device: settings, configs: parseConfigs(document, context) };
}

/** Returns the lists in an order in which records come after those that they refer to, except within a list. */
export function inDependencyOrder(lists: EntryLists): EntryList[] {
  const ordered: EntryList[] = [];
  const visited = new Set<string>();
  const visit = (table: string): void => {
    const list = lists.get(table);
    if (!list || visited.has(table)) return;
    visited.add(table);
    for (const { traits } of Object.values(list.resource.fields)) if (traits.foreignKey) visit(traits.foreignKey.table);
    for (const dependency of rulesOf(list.resource).dependsOn ?? []) visit(dependency);
    ordered.push(list);
  };
  for (const table of lists.keys()) visit(table);
  return ordered;
}
