import type { FarmEvent } from '../../programs/farm-event-changes.ts';
import { occurrencesFailure, timeRangeFailures } from '../../programs/farm-event-changes.ts';
import { farmEvents } from '../../programs/farm-events.ts';
import { regimens } from '../../programs/regimens.ts';
import { sequences } from '../../programs/sequences.ts';
import { farmEventTree } from '../../programs/tree.ts';
import type { Entry } from '../import-entries.ts';
import { filterEntries } from '../import-entries.ts';
import { failureMessage } from '../import-report.ts';
import type { PlanContext, TransferRules } from '../transfer-rules.ts';
import { hasValidProgram, newBody, storeUses } from './program-entries.ts';

/** Returns the table of what an event runs. */
const executableTable = (type: unknown): string => (type === 'Regimen' ? regimens.name : sequences.name);

/** Whether what an event runs is imported. Reports it if not. */
function hasExecutable({ path, values }: Entry, { known, remarks }: PlanContext): boolean {
  const { executable_type, executable_id } = values;
  const what = `${String(executable_type).toLowerCase()} ${String(executable_id)}`;
  const state =
    typeof executable_id === 'number' ? known.state(executableTable(executable_type), executable_id) : 'missing';
  if (state === 'missing') remarks.problem(`${path}/executable_id`, `The document has no ${what}.`);
  if (state === 'omitted') remarks.lost(path, `This event runs the ${what}, which was omitted.`);
  return state === 'stored';
}

function checkTimes(entry: Entry, { scope, remarks }: PlanContext): void {
  const values = entry.values as Partial<FarmEvent>;
  const { start_time, end_time, repeat = 1, time_unit = 'never' } = values;
  const failures = timeRangeFailures(scope, { ...(start_time && { start_time }), ...(end_time && { end_time }) });
  if (time_unit !== 'never' && !end_time) failures.end_time = 'End Time is required for an event that repeats.';
  if (start_time && end_time) Object.assign(failures, occurrencesFailure({ start_time, end_time, repeat, time_unit }));
  for (const [name, failure] of Object.entries(failures))
    remarks.problem(`${entry.path}/${name}`, failureMessage(failure));
}

export const farmEventRules: TransferRules = {
  resource: farmEvents,
  nullValues: { repeat: () => 1, time_unit: () => 'never', start_time: ({ created_at }) => created_at },
  dependsOn: [regimens.name, sequences.name],
  async check(list, context) {
    await filterEntries(list, context, (entry) => {
      if (!hasExecutable(entry, context)) return false;
      checkTimes(entry, context);
      const { executable_type, executable_id, body } = entry.values;
      const target_kind = executable_type === 'Regimen' ? 'regimen' : 'sequence';
      const tree = farmEventTree((body ?? []) as readonly unknown[]);
      return hasValidProgram('event', entry, tree, [{ target_kind, target_id: Number(executable_id) }], context);
    });
  },
  toRow(row, entry, writer) {
    row.executable_id = writer.newId(executableTable(row.executable_type), Number(row.executable_id)) ?? 0;
    row.body = newBody(entry, writer);
  },
  async afterInsert(entries, writer) {
    await storeUses('FarmEvent', farmEvents.name, entries, writer);
  },
};
