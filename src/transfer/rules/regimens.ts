import { currentTimestamp } from '../../core/clock.ts';
import type { RegimenItemInput } from '../../programs/regimen-items.ts';
import { regimenInputFields, regimenItems, regimens } from '../../programs/regimens.ts';
import { sequences } from '../../programs/sequences.ts';
import { regimenTree } from '../../programs/tree.ts';
import type { Entry } from '../import-entries.ts';
import { filterEntries } from '../import-entries.ts';
import { creationTime, parseCreationTime } from '../import-report.ts';
import { say } from '../messages.ts';
import type { PlanContext, Row, TransferRules } from '../transfer-rules.ts';
import { hasValidProgram, newBody, storeEntryUses } from './program-entries.ts';

const itemsOf = ({ values }: Entry): readonly RegimenItemInput[] => values.regimen_items as readonly RegimenItemInput[];

const sentItemsOf = ({ sent }: Entry): readonly Row[] => sent.regimen_items as readonly Row[];

/** Whether all sequences of a regimen are imported. Reports missing ones. */
function hasSequences(entry: Entry, { known, remarks }: PlanContext): boolean {
  const states = itemsOf(entry).map(({ sequence_id }) => known.state(sequences.name, sequence_id));
  for (const [index, { sequence_id }] of itemsOf(entry).entries())
    if (states[index] === 'missing')
      remarks.problem(
        `${entry.path}/regimen_items/${index}/sequence_id`,
        say.missing(say.numbered(say.program, String(sequence_id))),
      );
  const omitted = itemsOf(entry)[states.indexOf('omitted')];
  if (omitted) remarks.lost(entry.path, say.regimenOf(omitted.sequence_id));
  return !omitted;
}

export const regimenRules: TransferRules = {
  resource: regimens,
  fields: regimenInputFields,
  dependsOn: [sequences.name],
  async check(list, context) {
    await filterEntries(list, context, (entry) => {
      for (const [index, item] of sentItemsOf(entry).entries())
        creationTime(item, `${entry.path}/regimen_items/${index}`, context.remarks);
      if (!hasSequences(entry, context)) return false;
      const tree = regimenTree((entry.values.body ?? []) as readonly unknown[]);
      const uses = itemsOf(entry).map(({ sequence_id }) => ({
        target_kind: 'sequence' as const,
        target_id: sequence_id,
      }));
      return hasValidProgram(say.regimen, entry, tree, uses, context);
    });
  },
  toRow(row, entry, writer) {
    delete row.regimen_items;
    row.body = newBody(entry, writer);
  },
  parts: { table: regimenItems, countOf: (entry) => itemsOf(entry).length },
  async afterInsert(entries, writer) {
    const items = entries.flatMap((entry) => {
      const regimen_id = writer.storedId(regimens.name, entry);
      return itemsOf(entry).flatMap(({ sequence_id: sent, time_offset }, index) => {
        const sequence_id = writer.newId(sequences.name, sent);
        if (sequence_id === undefined) return [];
        const time = parseCreationTime(sentItemsOf(entry)[index]?.created_at);
        return [{ regimen_id, sequence_id, time_offset, created_at: time ?? currentTimestamp(writer.scope.clock) }];
      });
    });
    await writer.insertAll(regimenItems, items);
    await storeEntryUses('Regimen', regimens.name, entries, writer);
  },
};
