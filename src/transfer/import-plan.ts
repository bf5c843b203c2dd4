import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { Slices, yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { labelOf } from '../engine/field-label.ts';
import { titleOf } from '../engine/labels.ts';
import type { AnyResource } from '../engine/resource.ts';
import { maxKept } from '../engine/resource.ts';
import { printableText } from '../programs/printable-text.ts';
import { accountDocument } from './account-document.ts';
import type { SentDocument } from './import-document.ts';
import type { Entry, EntryList, EntryLists, ReusedIds } from './import-entries.ts';
import { filterEntries, KnownRecords, omitOldest } from './import-entries.ts';
import type { ExistingTables } from './import-existing.ts';
import { nounOf, readExisting, uniqueFields } from './import-existing.ts';
import type { ConfigSettings, ParsedSettings, ReferenceField } from './import-records.ts';
import { parseConfigs, parseRecords, referenceFields } from './import-records.ts';
import type { ImportRemarks, ImportReport } from './import-report.ts';
import { escapeKey } from './import-report.ts';
import { say } from './messages.ts';
import { parseDevice } from './rules/device.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { ImportContext, PlanContext, Row } from './transfer-rules.ts';

/** The records to store. All ids are the document's. */
export interface ImportPlan {
  readonly lists: EntryLists;
  readonly reused: ReusedIds;
  /** Null: the account keeps its own settings. */
  readonly device: ParsedSettings | null;
  readonly configs: readonly ConfigSettings[];
}

/** Returns the numbers of stored records of a plan, and of records of the account that are used instead, by key. */
export function countRecords({ lists, reused, ...plan }: ImportPlan): Pick<ImportReport, 'taken' | 'reused'> {
  const settings = [...plan.configs, ...(plan.device ? [plan.device] : [])];
  return {
    taken: Object.fromEntries([
      ...[...lists.values()].map(({ key, entries }) => [key, entries.length]),
      ...settings.map(({ key }) => [key, 1]),
    ]),
    reused: Object.fromEntries([...lists].map(([table, { key }]) => [key, reused.get(table)?.size ?? 0])),
  };
}

/** Options of a planned import. */
export type PlanOptions = Pick<ImportContext, 'mode' | 'archive' | 'remarks' | 'maxPoints' | 'quotas'>;

/** Parses a document and checks everything that can be checked without storing it. Adds problems to the remarks. Throws 422 if it is not the document of an account. */
export async function planImport(
  scope: DeviceScope,
  document: SentDocument,
  options: PlanOptions,
): Promise<ImportPlan> {
  const { mode, remarks } = options;
  assertAccountDocument(document);
  reportOtherKeys(document, remarks);
  const fbosConfig = document.values.get('fbos_config');
  const base = {
    ...options,
    scope,
    device: await ownDevice(scope),
    slices: new Slices(yieldToRequests),
    firmwareHardware: isObject(fbosConfig) ? fbosConfig.firmware_hardware : null,
  };
  const lists = new Map<string, EntryList>();
  for (const part of accountDocument) {
    if (part.kind !== 'list') continue;
    const { key, resource } = part;
    const list = await parseRecords(key, resource, document.lists.get(key) ?? [], base);
    assertUnique(list, remarks);
    await keepNewest(list, base);
    lists.set(resource.name, list);
    await base.slices.pause();
  }
  const existing: ExistingTables = mode === 'merge' ? await readExisting(scope) : new Map();
  const reused = reuseExisting(lists, existing, remarks);
  for (const [table, list] of lists) {
    const existingCount = existing.get(table)?.count ?? 0;
    await rulesOf(list.resource).fit?.(list, { ...base, reused, existingCount });
    assertLimit(list, existingCount, base);
  }
  const context = { ...base, lists, known: new KnownRecords(lists, reused) };
  for (const list of inDependencyOrder(lists)) {
    await resolveReferences(list, context);
    await rulesOf(list.resource).check?.(list, context);
  }
  for (const list of lists.values()) await assertPartLimit(list, base);
  if (mode === 'merge') {
    remarks.omitted('/device', say.noSettings);
    return { lists, reused, device: null, configs: [] };
  }
  const device = await parseDevice(document.values.get('device') as Row, context);
  return { lists, reused, device, configs: parseConfigs(document, context) };
}

/** Throws 422 with all missing or invalid keys if this is not the document of an account. */
function assertAccountDocument({ values, lists }: SentDocument): void {
  const failures: FieldFailures = {};
  const schema = values.get('database_schema');
  if (!Number.isSafeInteger(schema) || Number(schema) <= 0) failures['/database_schema'] = say.noSchema;
  for (const part of accountDocument) {
    const { key, kind } = part;
    if (kind === 'metadata' || kind === 'users') continue;
    // The vendor added some keys later, and Potager others.
    const isOptional =
      kind === 'list' && (rulesOf(part.resource).isOptional === true || part.resource.options.addition === true);
    if (!values.has(key) && !lists.has(key)) {
      if (!isOptional) failures[`/${key}`] = say.noPart;
    } else if (kind === 'list' && !lists.has(key)) failures[`/${key}`] = say.noList;
    else if (kind !== 'list' && !isObject(values.get(key))) failures[`/${key}`] = say.noObject;
  }
  if (Object.keys(failures).length > 0) throw invalid(failures);
}

/** Reports keys of a document that are unknown or never imported. */
function reportOtherKeys({ values, lists }: SentDocument, remarks: ImportRemarks): void {
  const kinds = new Map(accountDocument.map(({ key, kind }) => [key, kind]));
  for (const key of [...lists.keys(), ...values.keys()])
    if (!kinds.has(key)) remarks.omitted(`/${escapeKey(key)}`, say.unknownKey);
    else if (kinds.get(key) === 'users' && lists.get(key)?.length) remarks.omitted(`/${key}`, say.noUsers);
}

const describeValue = ({ fields }: AnyResource, field: string, value: unknown): Message =>
  say.fieldValue(labelOf(field, titleOf(fields[field])), printableText(String(value)));

/** Reports duplicate values of fields that must be unique per account or on the whole server. */
function assertUnique({ resource, entries }: EntryList, remarks: ImportRemarks): void {
  const alone = (resource.options.uniqueTogether ?? []).filter(({ length }) => length === 1).flat();
  for (const field of [...uniqueFields(resource), ...alone]) {
    const seen = new Set<unknown>();
    for (const { path, values } of entries) {
      const value = values[field] ?? null;
      if (value === null) continue;
      if (seen.has(value)) remarks.problem(`${path}/${field}`, say.sameValue(describeValue(resource, field, value)));
      seen.add(value);
    }
  }
}

/** Omits the oldest entries beyond the maximum of kept records, as the server would delete them. */
async function keepNewest(list: EntryList, context: ImportContext): Promise<void> {
  const { resource } = list;
  const { newest } = rulesOf(resource);
  const sent = list.entries.length;
  const surplus = sent - (maxKept(resource) ?? sent);
  if (newest) list.entries = await newest(list.entries, context);
  // An entry without a time is stored with the current one.
  else if (surplus > 0) omitOldest(list, list.entries, surplus, ({ createdAt }) => createdAt ?? '9999');
  const kept = list.entries.length;
  if (kept < sent)
    context.remarks.omitted(`/${list.key}`, say.oldest(sent - kept, nounOf(resource.name, 'many'), kept));
}

/** Removes entries whose unique value belongs to a record of the account; that record is used instead. */
function reuseExisting(lists: EntryLists, existing: ExistingTables, remarks: ImportRemarks): ReusedIds {
  const reused = new Map<string, Map<number, number>>();
  for (const [table, list] of lists) {
    const ids = new Map<number, number>();
    for (const [field, values] of existing.get(table)?.unique ?? [])
      for (const { id: sent, path, values: own } of list.entries) {
        const id = values.get(own[field]);
        if (id === undefined) continue;
        ids.set(sent, id);
        remarks.omitted(path, say.ownRecord(describeValue(list.resource, field, own[field])));
      }
    list.entries = list.entries.filter(({ id }) => !ids.has(id));
    reused.set(table, ids);
  }
  return reused;
}

/** Maximum number of imported records of a resource that is not limited by a number of records. */
const maxRecords = 5000;

/** Reports a list that exceeds the maximum of the account or of an import. */
function assertLimit(
  { key, resource, entries }: EntryList,
  existingCount: number,
  { device, remarks }: ImportContext,
): void {
  const { limit, maxImported = maxRecords } = rulesOf(resource);
  const most = resource.maximum?.rows ?? null;
  const max = limit && most !== null ? Math.min(limit(device), most) : most;
  const count = existingCount + entries.length;
  if (max === null && entries.length > maxImported)
    remarks.problem(`/${key}`, say.tooManyImported(maxImported, nounOf(resource.name, 'many'), entries.length));
  if (max !== null && count > max && entries.length > 0)
    remarks.problem(`/${key}`, say.tooMany(max, nounOf(resource.name, 'many'), count));
}

/** Reports a list whose records have more parts than the account may have. */
async function assertPartLimit(
  { key, resource, entries }: EntryList,
  { scope, mode, remarks }: ImportContext,
): Promise<void> {
  const { parts } = rulesOf(resource);
  const max = parts?.table.maximum?.rows;
  if (!parts || max === undefined || entries.length === 0) return;
  let count = mode === 'merge' ? await scope.count(parts.table) : 0;
  for (const entry of entries) count += parts.countOf(entry);
  if (count > max) remarks.problem(`/${key}`, say.tooMany(max, nounOf(parts.table.name, 'many'), count));
}

/**
 * Checks the references of a list's records. One to a missing record is cleared if the record does not require it; otherwise
 * it is a problem. A record that requires an omitted one is omitted, too.
 */
async function resolveReferences(list: EntryList, context: PlanContext): Promise<void> {
  const { known, remarks } = context;
  const fields = referenceFields(list.resource);
  if (fields.length === 0) return;
  const { requiresReferences } = rulesOf(list.resource);
  const isRequired = ({ canBeNull }: ReferenceField, { values }: Entry): boolean =>
    !canBeNull || (requiresReferences?.(values) ?? false);
  await filterEntries(list, context, (entry) => {
    for (const field of fields) {
      const id = entry.values[field.name];
      if (typeof id !== 'number') continue;
      const state = known.state(field.table, id);
      if (state === 'stored') continue;
      const path = `${entry.path}/${field.name}`;
      const what = say.numbered(nounOf(field.table), String(id));
      if (!isRequired(field, entry)) {
        entry.values[field.name] = null;
        // Clients send 0 for "none".
        if (id !== 0)
          remarks.changed(path, say.cleared(what, labelOf(field.name, titleOf(list.resource.fields[field.name]))));
      } else if (state === 'missing') remarks.problem(path, say.missing(what));
      else {
        remarks.lost(entry.path, say.required(what));
        return false;
      }
    }
    return true;
  });
}

/** Returns the lists in an order in which records come after the records that they refer to, except within a list. */
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
