import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { find } from '../engine/records.ts';
import { emptyArgs } from './program-kinds.ts';
import { deleteUses } from './program-store.ts';
import type { SequenceVersion } from './publications.ts';
import { announceToAll } from './publishing.ts';
import { sequenceLimitFailure, stepIncreaseFailure, stepLimitFailure } from './sequence-limits.ts';
import type { Sequence } from './sequence-program.ts';
import { colors, sequences } from './sequences.ts';
import { findLinkedVersion, findOfferedVersion } from './shared-versions.ts';

type Color = Sequence['color'];

const colorOf = ({ color }: SequenceVersion): Color => colors.find((one) => one === color) ?? 'gray';

/** Returns the fields that link a sequence to a version. It has no program of its own, so the version's is shown. */
const linkFields = ({ id }: SequenceVersion) => ({
  sequence_version_id: id,
  forked: false,
  args: emptyArgs,
  body: [],
});

function assertLimits(limits: FieldFailures): void {
  if (Object.keys(limits).length > 0) throw invalid(limits);
}

async function relink(scope: DeviceScope, id: number, changes: Partial<Sequence>, label?: string): Promise<string> {
  await scope.update(sequences, changes, { where: { id } });
  await deleteUses(scope, { kind: 'Sequence', id });
  return announceToAll(scope, id, label);
}

/**
 * Creates a sequence that shows a shared version, or resets the existing one of the same name, and returns its JSON. Must run
 * in a transaction. `label` of the announcement: a new one by default. Throws 404, 422. [rule P30]
 */
export async function installVersion(scope: DeviceScope, versionId: number, label?: string): Promise<string> {
  const version = await findOfferedVersion(scope.server, versionId);
  const { name, id: sequence_version_id } = version;
  const values = { ...linkFields(version), color: colorOf(version), description: null };
  const before = await scope.first(sequences, { where: { name, sequence_version_id } });
  if (before) {
    assertLimits(await stepIncreaseFailure(scope, version.body.length, () => before));
    return relink(scope, before.id, values, label);
  }
  assertLimits({ ...(await stepLimitFailure(scope, version.body.length)), ...(await sequenceLimitFailure(scope)) });
  const { id } = await scope.insert(sequences, { name, pinned: false, ...values });
  return announceToAll(scope, id, label);
}

/** Links a sequence to a version and returns its JSON; its own program is deleted. Must run in a transaction. Throws 404, 422. [rule P31] */
export async function upgradeSequence(scope: DeviceScope, id: number, versionId: number): Promise<string> {
  const before = await find(scope, sequences, id);
  const version = await findOfferedVersion(scope.server, versionId);
  assertLimits(await stepIncreaseFailure(scope, version.body.length, () => before));
  const { sequence_version_id: link, name, color } = before;
  const old = link === null ? undefined : await findLinkedVersion(scope.server, link);
  return relink(scope, id, {
    ...linkFields(version),
    name: !old || name === old.name ? version.name : name,
    color: !old || color === old.color ? colorOf(version) : color,
    description: version.description,
  });
}
