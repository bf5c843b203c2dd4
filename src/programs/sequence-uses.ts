import { invalid } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import { externalTable } from '../db/table.ts';
import { purgeExpiredEvents } from './farm-event-purge.ts';
import { say } from './messages.ts';
import { describeGroup, describeOwnerGroups, findUses } from './program-references.ts';

// Views of tables of other rooms, with the columns that name a sequence.
const pinBindings = externalTable('pin_bindings', {
  sequence_id: column.bigint().nullable(),
  pin_num: column.integer(),
});
const fbosConfigs = externalTable('fbos_configs', { boot_sequence_id: column.bigint().nullable() });

/** Throws 422 `sequence` if anything but the sequence itself runs it, after deleting expired events. [rule P26] */
export async function assertSequenceUnused(scope: DeviceScope, id: number): Promise<void> {
  await purgeExpiredEvents(scope);
  const uses = await findUses(scope, ['sequence'], [id]);
  const pins = await scope.rows(pinBindings, { where: { sequence_id: id } });
  const boots = await scope.count(fbosConfigs, { where: { boot_sequence_id: id } });
  const users = [
    ...describeOwnerGroups(uses.filter(({ ownerKind, ownerId }) => ownerKind !== 'Sequence' || ownerId !== id)),
    ...describeGroup(
      say.pinBindings,
      pins.map(({ pin_num }) => String(pin_num)),
    ),
    ...(boots > 0 ? [say.robotStart] : []),
  ];
  if (users.length > 0) throw invalid({ sequence: say.sequenceInUse(say.and(users)) });
}
