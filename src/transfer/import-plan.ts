import type { DeviceScope } from '../db/scope.ts';
import { folders } from '../garden/folders.ts';
import { sequences } from '../programs/sequences.ts';
import { accountDocument } from './account-document.ts';
import type { SentDocument } from './import-document.ts';
import { assertAccount, escaped } from './import-document.ts';
import type { ExistingGarden } from './import-existing.ts';
import { emptyExisting, limitsOf, readExisting } from './import-existing.ts';
import type { EntryLists, Reused } from './import-known.ts';
import { KnownRecords } from './import-known.ts';
import type { ImportMode } from './import-modes.ts';
import { checkPrograms } from './import-programs.ts';
import type { EntryList } from './import-records.ts';
import { readRecords } from './import-records.ts';
import { assertNoCircles, resolveMembers, resolveReferences } from './import-references.ts';
import type { ImportRemarks } from './import-report.ts';
import type { Settings, SingleRecord } from './import-settings.ts';
import { readConfigs, readDevice } from './import-settings.ts';
import type { Turns } from './import-turns.ts';
import { assertLimits, assertUnique, freeTools, keepNewest, reuse } from './import-uniqueness.ts';

/** What is to be stored, checked as far as that can be done without storing it. All ids in it are those of the document. */
export interface ImportPlan {
  readonly lists: EntryLists;
  readonly reused: Reused;
  /** Null: the account keeps its own. */
  readonly device: Settings | null;
  readonly configs: readonly SingleRecord[];
}

/** Tells of what a document holds that is never taken, or that is not known here. */
function tellStrangers({ values, lists }: SentDocument, remarks: ImportRemarks): void {
  const parts = new Map(accountDocument.map((part) => [part.key, part]));
  for (const [key, list] of lists) {
    const part = parts.get(key);
    if (!part) remarks.leftOut(`/${escaped(key)}`, 'This is not known here.');
    else if (part.holds === 'people' && list.length > 0)
      remarks.leftOut(`/${key}`, 'Users and their sign-ins are never imported.');
  }
  for (const key of values.keys()) if (!parts.has(key)) remarks.leftOut(`/${escaped(key)}`, 'This is not known here.');
}

/** Reads the whole document and checks everything that can be known before it is stored. What is wrong is among the remarks afterwards. Throws 422 for what is no account's document. */
export async function planImport(
  scope: DeviceScope,
  document: SentDocument,
  { mode, remarks, turns }: { readonly mode: ImportMode; readonly remarks: ImportRemarks; readonly turns: Turns },
): Promise<ImportPlan> {
  assertAccount(document);
  tellStrangers(document, remarks);
  const limits = await limitsOf(scope);
  const lists = new Map<string, EntryList>();
  for (const part of accountDocument) {
    if (part.holds !== 'records') continue;
    const list = await readRecords(scope, part, document.lists.get(part.key) ?? [], remarks, turns);
    assertUnique(list, remarks);
    keepNewest(list, limits, remarks);
    lists.set(part.resource.name, list);
    await turns.next();
  }
  const existing: ExistingGarden = mode === 'merge' ? await readExisting(scope) : emptyExisting;
  const reused = reuse(lists, existing, remarks);
  freeTools(lists, reused, existing, remarks);
  assertLimits(lists, existing, limits, remarks);
  const known = new KnownRecords(lists, reused);
  assertNoCircles(lists, remarks);
  const needsPrograms: EntryList[] = [];
  for (const list of lists.values()) {
    const isWaiting = Object.values(list.resource.fields).some(
      ({ traits }) => traits.foreignKey?.table === sequences.name,
    );
    if (isWaiting) needsPrograms.push(list);
    else await resolveReferences(list, known, remarks, turns);
  }
  resolveMembers(lists, known, remarks);
  await checkPrograms({ scope, lists, known, remarks, turns, mostSteps: limits.steps });
  for (const list of needsPrograms) await resolveReferences(list, known, remarks, turns);
  if (mode === 'merge') {
    remarks.leftOut('/device', 'The account keeps its own settings and configs.');
    return { lists, reused, device: null, configs: [] };
  }
  const device = await readDevice(scope, document, known, remarks);
  return { lists, reused, device, configs: readConfigs(document, known, remarks) };
}

/** Tables in an order in which each record comes after those that it names. Folders name folders: they are told apart by the writer. */
export function writingOrder(lists: EntryLists): EntryList[] {
  const ordered: EntryList[] = [];
  const seen = new Set<string>();
  const visit = (table: string): void => {
    const list = lists.get(table);
    if (!list || seen.has(table)) return;
    seen.add(table);
    for (const { traits } of Object.values(list.resource.fields))
      if (traits.foreignKey && traits.foreignKey.table !== folders.name) visit(traits.foreignKey.table);
    for (const before of programTables.get(table) ?? []) visit(before);
    ordered.push(list);
  };
  visit(folders.name);
  for (const table of lists.keys()) visit(table);
  return ordered;
}

/** What programs name, and members of groups: no field says it. */
const programTables = new Map<string, readonly string[]>([
  ['point_groups', ['points']],
  ['sequences', ['tools', 'points', 'point_groups', 'peripherals', 'sensors']],
  ['regimens', ['sequences']],
  ['farm_events', ['regimens', 'sequences']],
]);
