import type { FarmEvent } from '../../programs/farm-event-changes.ts';
import { occurrencesFailure, timeRangeFailures } from '../../programs/farm-event-changes.ts';
import { farmEvents } from '../../programs/farm-events.ts';
import { say as sayOfPrograms } from '../../programs/messages.ts';
import { regimens } from '../../programs/regimens.ts';
import { sequences } from '../../programs/sequences.ts';
import { tablesByUse } from '../../programs/targets.ts';
import { farmEventTree } from '../../programs/tree.ts';
import type { Entry } from '../import-entries.ts';
import { filterEntries } from '../import-entries.ts';
import { failureMessage } from '../import-report.ts';
import { say } from '../messages.ts';
import type { PlanContext, Row, TransferRules } from '../transfer-rules.ts';
import { hasValidProgram, newBody, storeEntryUses } from './program-entries.ts';

/** Returns the program or regimen of an event, as in `program_references`. */
const kindOf = ({ executable_type }: Readonly<Row>): 'regimen' | 'sequence' =>
  executable_type === 'Regimen' ? 'regimen' : 'sequence';

/** Whether the program or regimen of an event is imported. Reports it if not. */
function hasExecutable({ path, values }: Entry, { known, remarks }: PlanContext): boolean {
  const kind = kindOf(values);
  const { executable_id: id } = values;
  const executable = say.numbered(kind === 'regimen' ? say.regimen : say.program, String(id));
  const state = typeof id === 'number' ? known.state(tablesByUse[kind], id) : 'missing';
  if (state === 'missing') remarks.problem(`${path}/executable_id`, say.missing(executable));
  if (state === 'omitted') remarks.lost(path, say.eventOf(executable));
  return state === 'stored';
}

function checkTimes(entry: Entry, { scope, remarks }: PlanContext): void {
  const values = entry.values as Partial<FarmEvent>;
  const { start_time, end_time, repeat = 1, time_unit = 'never' } = values;
  const failures = timeRangeFailures(scope, { ...(start_time && { start_time }), ...(end_time && { end_time }) });
  if (time_unit !== 'never' && !end_time) failures.end_time = sayOfPrograms.noEnd;
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
      const tree = farmEventTree((entry.values.body ?? []) as readonly unknown[]);
      const executable = { target_kind: kindOf(entry.values), target_id: Number(entry.values.executable_id) };
      return hasValidProgram(say.event, entry, tree, [executable], context);
    });
  },
  toRow(row, entry, writer) {
    row.executable_id = writer.newId(tablesByUse[kindOf(row)], Number(row.executable_id)) ?? 0;
    row.body = newBody(entry, writer);
  },
  async afterInsert(entries, writer) {
    await storeEntryUses('FarmEvent', farmEvents.name, entries, writer);
  },
};
