import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { withJsonText } from '../db/table.ts';
import type { Body, ParsedBody } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { ownsAll } from '../engine/own-record.ts';
import { announceChanged, deleteRecord, find, show } from '../engine/records.ts';
import { say } from './messages.ts';
import type { Owner, Uses } from './program-store.ts';
import { assertProgram, deleteUses, ProgramError, storeUses } from './program-store.ts';
import { sequenceLimitFailure, stepIncreaseFailure, stepLimitFailure } from './sequence-limits.ts';
import type { ProgramChange, Sequence } from './sequence-program.ts';
import { readChangedProgram } from './sequence-program.ts';
import { assertSequenceUnused } from './sequence-uses.ts';
import { sequenceChanges, sequences } from './sequences.ts';
import type { Tree } from './tree.ts';
import { sequenceFields, sequenceTree } from './tree.ts';

/** The key under which clients may send the fields. [rule P21] */
const wrapper = 'sequence';

/** Returns the fields of a body, under `sequence` if it is present. Throws 422. [rule P21] */
export function inputFields(body: Body): Body {
  const inner = Object.hasOwn(body, wrapper) ? body[wrapper] : undefined;
  if (!inner) return body;
  if (!isObject(inner)) throw invalid({ [wrapper]: say.noSequenceObject });
  return inner;
}

/** Parses the fields of a body and resolves the folder. Throws 422 with all failing fields before anything else is checked. [rule P22, decision 30] */
async function parseSequence(scope: DeviceScope, body: Body, mode: 'create' | 'update'): Promise<ParsedBody> {
  const parsedBody = parseBody(mode === 'create' ? sequences.fields : sequenceChanges, inputFields(body), mode);
  if (Object.keys(parsedBody.failures).length > 0) throw invalid(parsedBody.failures);
  const { folder_id: folder } = parsedBody.values;
  if (typeof folder === 'number' && !(await ownsAll(scope, 'folders', [folder]))) parsedBody.values.folder_id = null;
  return parsedBody;
}

/** Checks a program and returns its uses. A language error is added to the failures, an overlong text only counts without other failures. Throws 422 for a structure error. [rule P18, P22] */
async function checkUses(
  scope: DeviceScope,
  tree: Tree,
  owner: Owner | null,
  { failures, modelProblems }: ParsedBody,
): Promise<Uses> {
  try {
    return await assertProgram(scope, tree, owner);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const { class: kind, message } = error.problem;
    if (kind === 'structure') throw refused(message);
    if (kind === 'language') failures.body = message;
    else modelProblems.body = message;
    return [];
  }
}

/** Sequences with their programs as stored text, which is copied without being parsed. */
export const serializedSequences = withJsonText(sequences, 'args', 'body');

type WrittenSequence = RowOf<typeof serializedSequences>;

const parseRow = ({ args, body, ...row }: WrittenSequence): Sequence => ({
  ...row,
  args: JSON.parse(args),
  body: JSON.parse(body),
});

/** Returns the stored columns of a program. */
export function serializeProgram({ root }: Pick<Tree, 'root'>): { args: string; body: string } {
  const { args, body } = sequenceFields(root);
  return { args: JSON.stringify(args), body: JSON.stringify(body) };
}

/** Announces the record and returns its JSON. */
async function announce(scope: DeviceScope, id: number): Promise<string> {
  const json = await show(scope, sequences, id);
  announceChanged(scope, sequences, id, json);
  return json;
}

/** Creates a sequence and returns its JSON. Throws 422. [rule P22] */
export async function createSequence(scope: DeviceScope, body: Body): Promise<string> {
  const parsedBody = await parseSequence(scope, body, 'create');
  const { args, body: steps = [] } = parsedBody.values as ProgramChange;
  const tree = sequenceTree({ ...args }, steps);
  const uses = await checkUses(scope, tree, null, parsedBody);
  const limits: FieldFailures = {
    ...(await stepLimitFailure(scope, steps.length)),
    ...(await sequenceLimitFailure(scope)),
  };
  assertValid(parsedBody, limits);
  const values = { ...parsedBody.values, ...serializeProgram(tree) } as Insertable<WrittenSequence>;
  const { id } = await scope.insert(serializedSequences, values);
  if (uses.length > 0) await storeUses(scope, { kind: 'Sequence', id }, uses);
  return announce(scope, id);
}

/** Updates a sequence and returns its JSON. Throws 404, 422. [rule P24, decision 6] */
export async function updateSequence(scope: DeviceScope, id: number, body: Body): Promise<string> {
  const before = await scope.first(serializedSequences, { where: { id } });
  if (!before) throw notFound(sequences.singular);
  const parsedBody = await parseSequence(scope, body, 'update');
  if (Object.keys(parsedBody.values).length === 0) {
    assertValid(parsedBody);
    return show(scope, sequences, id);
  }
  const owner: Owner = { kind: 'Sequence', id };
  const sent: ProgramChange = parsedBody.values;
  // With a body the previous program need not be parsed.
  const tree = sent.body
    ? sequenceTree({ ...sent.args }, sent.body)
    : await readChangedProgram(scope, parseRow(before), sent);
  const uses = tree ? await checkUses(scope, tree, owner, parsedBody) : [];
  assertValid(parsedBody, await stepIncreaseFailure(scope, sent.body?.length ?? 0, () => parseRow(before)));
  const { args: _args, body: _body, ...others } = parsedBody.values;
  await scope.update(serializedSequences, { ...others, ...(tree && serializeProgram(tree)) }, { where: { id } });
  if (tree) await storeUses(scope, owner, uses);
  return announce(scope, id);
}

/** Deletes a sequence that nothing uses; its publication stays. Throws 404, 422. [rule P26, P28] */
export async function deleteSequence(scope: DeviceScope, id: number): Promise<void> {
  const row = await find(scope, sequences, id);
  await assertSequenceUnused(scope, id);
  await deleteUses(scope, { kind: 'Sequence', id });
  await deleteRecord(scope, sequences, row);
}
