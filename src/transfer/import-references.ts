import { titleize } from '../engine/kinds.ts';
import type { AnyResource } from '../engine/resource.ts';
import { folders } from '../garden/folders.ts';
import { pinBindings } from '../garden/pin-bindings.ts';
import { pointGroups } from '../garden/point-groups.ts';
import { points } from '../garden/points.ts';
import type { EntryLists, KnownRecords } from './import-known.ts';
import { keepEntries } from './import-known.ts';
import type { Entry, EntryList } from './import-records.ts';
import type { ImportRemarks } from './import-report.ts';
import type { Turns } from './import-turns.ts';

/** A field that holds the id of another record. */
export interface ReferringField {
  readonly name: string;
  readonly table: string;
  /** Null says that there is none. */
  readonly mayBeNull: boolean;
}

/** The fields of a resource that name records, from its declaration. */
export const referringFields = (resource: AnyResource): ReferringField[] =>
  Object.entries(resource.fields).flatMap(([name, { traits }]) =>
    traits.foreignKey && traits.ownership
      ? [{ name, table: traits.foreignKey.table, mayBeNull: traits.canBeNull }]
      : [],
  );

/** A binding without a sequence and without a special action does nothing. */
const isNeeded = (resource: AnyResource, { mayBeNull }: ReferringField, { values }: Entry): boolean =>
  !mayBeNull || (resource.name === pinBindings.name && (values.special_action ?? null) === null);

const called = (table: string): string => table.replaceAll('_', ' ').replace(/s$/, '');

/**
 * Looks at the references of plain fields. One to nothing becomes null where the field may be null; a record that needs it is
 * a problem, or is left out with the record that it needs.
 */
export async function resolveReferences(
  list: EntryList,
  known: KnownRecords,
  remarks: ImportRemarks,
  turns: Turns,
): Promise<void> {
  const fields = referringFields(list.resource);
  if (fields.length === 0) return;
  await keepEntries(list, known, turns, (entry) => {
    for (const field of fields) {
      const id = entry.values[field.name];
      if (typeof id !== 'number') continue;
      const state = known.state(field.table, id);
      if (state === 'there') continue;
      const path = `${entry.path}/${field.name}`;
      const what = `${called(field.table)} ${id}`;
      if (!isNeeded(list.resource, field, entry)) {
        entry.values[field.name] = null;
        // Clients write 0 for "none".
        if (id !== 0) remarks.changed(path, `The document has no ${what}: ${titleize(field.name)} was cleared.`);
      } else if (state === 'missing') remarks.problem(path, `The document has no ${what}.`);
      else {
        remarks.lost(entry.path, `This needs the ${what}, which was left out.`);
        return false;
      }
    }
    return true;
  });
}

/** Members of groups: those that are not there, and those that stand there twice, leave. Archived points are in no group. */
export function resolveMembers(lists: EntryLists, known: KnownRecords, remarks: ImportRemarks): void {
  const archived = new Set(
    lists
      .get(points.name)
      ?.entries.filter(({ values }) => (values.discarded_at ?? null) !== null)
      .map(({ id }) => id),
  );
  for (const { path, values } of lists.get(pointGroups.name)?.entries ?? []) {
    const sent = values.point_ids as readonly number[];
    const members = [...new Set(sent)].filter((id) => known.state(points.name, id) === 'there' && !archived.has(id));
    if (members.length < sent.length)
      remarks.changed(
        `${path}/point_ids`,
        `${sent.length - members.length} members that are no points were taken out.`,
      );
    values.point_ids = members;
  }
}

/** Folders that hold each other would be seen by nobody. One that holds itself is nothing new to clients. */
export function assertNoCircles(lists: EntryLists, remarks: ImportRemarks): void {
  const entries = lists.get(folders.name)?.entries ?? [];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const settled = new Set<Entry>();
  for (const first of entries) {
    const way = new Set<Entry>();
    let here: Entry | undefined = first;
    while (here && !settled.has(here) && !way.has(here)) {
      way.add(here);
      const parent: unknown = here.values.parent_id;
      here = typeof parent === 'number' && parent !== here.id ? byId.get(parent) : undefined;
    }
    if (here && way.has(here)) remarks.problem(`${here.path}/parent_id`, 'This folder is inside itself.');
    for (const entry of way) settled.add(entry);
  }
}
