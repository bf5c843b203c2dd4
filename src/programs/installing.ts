import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { find } from '../engine/records.ts';
import { deleteUses } from './program-store.ts';
import type { SequenceVersion } from './publications.ts';
import { announceToAll } from './publishing.ts';
import { sequenceLimitFailure, stepLimitFailure } from './sequence-limits.ts';
import type { Sequence } from './sequence-program.ts';
import { findShownProgram } from './sequence-program.ts';
import { colors, emptyArgs, sequences } from './sequences.ts';
import { findLinkedVersion, findOfferedVersion } from './shared-versions.ts';

type Color = Sequence['color'];

const colorOf = ({ color }: SequenceVersion): Color => colors.find((one) => one === color) ?? 'gray';

/** What links a sequence to a version: no program of its own, so that the version's is shown. */
const linkTo = ({ id }: SequenceVersion) => ({
  sequence_version_id: id,
  forked: false,
  args: emptyArgs,
  body: [],
});

/** What keeps a sequence from showing a version that has more steps than it shows now. [decision 15] */
async function tooManyMoreSteps(
  scope: DeviceScope,
  before: Sequence,
  { body }: SequenceVersion,
): Promise<FieldFailures> {
  return stepLimitFailure(scope, body.length, (await findShownProgram(scope, before)).body.length);
}

function assertWithin(limits: FieldFailures): void {
  if (Object.keys(limits).length > 0) throw invalid(limits);
}

async function relink(scope: DeviceScope, id: number, changes: Partial<Sequence>, label?: string): Promise<string> {
  await scope.update(sequences, changes, { where: { id } });
  await deleteUses(scope, { kind: 'Sequence', id });
  return announceToAll(scope, id, label);
}

/** Gives the device a sequence that shows a shared version; where it has one of the same name already, that one. In a transaction. Announced under `label`, or one of its own. Gives its JSON. Throws 404, 422. [reference 5.2] */
export async function installVersion(scope: DeviceScope, versionId: number, label?: string): Promise<string> {
  const version = await findOfferedVersion(scope.server, versionId);
  const { name, id: sequence_version_id } = version;
  const values = { ...linkTo(version), color: colorOf(version), description: null };
  const before = await scope.first(sequences, { where: { name, sequence_version_id } });
  if (before) {
    assertWithin(await tooManyMoreSteps(scope, before, version));
    return relink(scope, before.id, values, label);
  }
  assertWithin({ ...(await stepLimitFailure(scope, version.body.length)), ...(await sequenceLimitFailure(scope)) });
  const { id } = await scope.insert(sequences, { name, pinned: false, ...values });
  return announceToAll(scope, id, label);
}

/** Has a sequence show a version, a newer or the same one. Name and colour follow unless its owner changed them; its own program goes. In a transaction. Gives its JSON. Throws 404, 422. [reference 5.2] */
export async function upgradeSequence(scope: DeviceScope, id: number, versionId: number): Promise<string> {
  const before = await find(scope, sequences, id);
  const version = await findOfferedVersion(scope.server, versionId);
  assertWithin(await tooManyMoreSteps(scope, before, version));
  const { sequence_version_id: link, name, color } = before;
  const old = link === null ? undefined : await findLinkedVersion(scope.server, link);
  return relink(scope, id, {
    ...linkTo(version),
    name: !old || name === old.name ? version.name : name,
    color: !old || color === old.color ? colorOf(version) : color,
    description: version.description,
  });
}
