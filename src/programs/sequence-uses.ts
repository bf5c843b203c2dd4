import { present } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import { purgeExpired } from './farm-event-purge.ts';
import { farmEvents } from './farm-events.ts';
import { shown } from './problem.ts';
import { usesOf } from './program-references.ts';
import { regimenItems, regimens } from './regimens.ts';

// Other rooms' tables; of them only who uses a sequence is asked here.
const pinBindings = table(
  'pin_bindings',
  { device_id: column.bigint(), sequence_id: column.bigint().nullable(), pin_num: column.integer() },
  { reach: 'device' },
);
const fbosConfigs = table(
  'fbos_configs',
  { device_id: column.bigint(), boot_sequence_id: column.bigint().nullable() },
  { reach: 'device' },
);

/** Names of one kind of users that a sentence tells at most. */
const mostNames = 10;

function group(one: string, several: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const told = names.slice(0, mostNames).map(shown);
  if (names.length > mostNames) told.push(`${names.length - mostNames} more`);
  return [`${names.length === 1 ? one : several} ${told.join(', ')}`];
}

/** `06/30`, with the year where it is not the present one. [reference 4.5] */
function dateOf(time: string, now: string): string {
  const [year = '', month, day] = time.slice(0, 10).split('-');
  return `${month}/${day}${now.startsWith(year) ? '' : `/${year.slice(2)}`}`;
}

async function eventDates(scope: DeviceScope, id: number): Promise<string[]> {
  const events = await scope.rows(farmEvents, { where: { executable_type: ['Sequence'], executable_id: id } });
  const now = present(scope.clock);
  return events.map(({ start_time }) => dateOf(start_time ?? now, now));
}

async function regimenNames(scope: DeviceScope, id: number): Promise<string[]> {
  const items = await scope.rows(regimenItems, { where: { sequence_id: id } });
  if (items.length === 0) return [];
  const ids = [...new Set(items.map(({ regimen_id }) => regimen_id))];
  return (await scope.rows(regimens, { where: { id: ids } })).map(({ name }) => name);
}

/** Throws 422 `sequence` if anything of the device runs this sequence; running itself does not count. Expired events go first. */
export async function assertUnusedSequence(scope: DeviceScope, id: number): Promise<void> {
  await purgeExpired(scope);
  const callers = (await usesOf(scope, ['sequence'], [id], ['Sequence'])).filter(({ ownerId }) => ownerId !== id);
  const pins = await scope.rows(pinBindings, { where: { sequence_id: id } });
  const boots = await scope.count(fbosConfigs, { where: { boot_sequence_id: id } });
  const users = [
    ...group('the farm event of', 'the farm events of', await eventDates(scope, id)),
    ...group('the regimen', 'the regimens', await regimenNames(scope, id)),
    ...group(
      'the pin binding of pin',
      'the pin bindings of pins',
      pins.map(({ pin_num }) => String(pin_num)),
    ),
    ...group(
      'another program:',
      'other programs:',
      callers.map(({ owner }) => owner),
    ),
    ...(boots > 0 ? ['the start of the robot'] : []),
  ];
  if (users.length > 0) throw invalid({ sequence: `Sequence is still in use by ${users.join(' and ')}.` });
}
