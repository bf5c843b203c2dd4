import { titleize } from '../engine/kinds.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { Entry, EntryList } from './import-entries.ts';
import { filterEntries } from './import-entries.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { PlanContext } from './transfer-rules.ts';

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
