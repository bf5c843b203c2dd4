import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { Body, ParsedBody } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { ownsAll } from '../engine/own-record.ts';
import { announceChanged, deleteRecord, find, show } from '../engine/records.ts';
import type { Owner, Uses } from './program-store.ts';
import { assertProgram, deleteUses, ProgramError, storeUses } from './program-store.ts';
import { sequenceLimitFailure, stepLimitFailure } from './sequence-limits.ts';
import type { ProgramChange, Sequence } from './sequence-program.ts';
import { findShownProgram, readChangedProgram } from './sequence-program.ts';
import { assertSequenceUnused } from './sequence-uses.ts';
import { sequenceChanges, sequences } from './sequences.ts';
import type { Tree } from './tree.ts';
import { sequenceFields, sequenceTree } from './tree.ts';

/** Clients may send the fields under this key. */
const wrapper = 'sequence';

/** The fields of a body: those under `sequence`, if there is such a key. Throws 422. [reference 4.2] */
export function inputFields(body: Body): Body {
  const inner = Object.hasOwn(body, wrapper) ? body[wrapper] : undefined;
  if (!inner) return body;
  if (!isObject(inner)) throw invalid({ [wrapper]: 'Sequence must be an object.' });
  return inner;
}

/** Reads the fields of a body and the folder among them. Throws 422 with all failing fields, before anything else is looked at. */
async function readSequence(scope: DeviceScope, body: Body, mode: 'create' | 'update'): Promise<ParsedBody> {
  const reading = parseBody(mode === 'create' ? sequences.fields : sequenceChanges, inputFields(body), mode);
  if (Object.keys(reading.failures).length > 0) throw invalid(reading.failures);
  const { folder_id: folder } = reading.values;
  if (typeof folder === 'number' && !(await ownsAll(scope, 'folders', [folder]))) reading.values.folder_id = null;
  return reading;
}

/** Checks a program and gives what it uses. What is wrong with the language joins the failures; too long texts count only when all else is right. Throws 422 for what is no program at all. [reference 2.8] */
async function checkedUses(
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
    else modelProblems.push(message);
    return [];
  }
}

/** Sequences with their programs as the text that is stored: nothing of them is parsed or walked only to be stored. The columns are the same in the same order. */
export const serializedSequences: Table<WrittenSequence, 'device'> = {
  name: sequences.name,
  reach: sequences.reach,
  owner: sequences.owner,
  columns: { ...sequences.columns, args: column.text(), body: column.text() },
  unique: [],
  indexes: [],
};

type WrittenSequence = Omit<Sequence, 'args' | 'body'> & { args: string; body: string };

const parsed = ({ args, body, ...row }: WrittenSequence): Sequence => ({
  ...row,
  args: JSON.parse(args),
  body: JSON.parse(body),
});

/** What a tree is stored as. Its texts are such that a database can hold them. */
export function serializeProgram({ root }: Pick<Tree, 'root'>): { args: string; body: string } {
  const { args, body } = sequenceFields(root);
  return { args: JSON.stringify(args), body: JSON.stringify(body) };
}

/** The record's JSON, which is announced too. */
async function announced(scope: DeviceScope, id: number): Promise<string> {
  const json = await show(scope, sequences, id);
  announceChanged(scope, sequences, id, json);
  return json;
}

/** Stores a new sequence. Gives its JSON. Throws 422. [reference 4.3] */
export async function createSequence(scope: DeviceScope, body: Body): Promise<string> {
  const reading = await readSequence(scope, body, 'create');
  const { args, body: steps = [] } = reading.values as ProgramChange;
  const tree = sequenceTree({ ...args }, steps);
  const uses = await checkedUses(scope, tree, null, reading);
  const limits: FieldFailures = {
    ...(await stepLimitFailure(scope, steps.length)),
    ...(await sequenceLimitFailure(scope)),
  };
  assertValid(reading, limits);
  const values = { ...reading.values, ...serializeProgram(tree) } as Insertable<WrittenSequence>;
  const { id } = await scope.insert(serializedSequences, values);
  if (uses.length > 0) await storeUses(scope, { kind: 'Sequence', id }, uses);
  return announced(scope, id);
}

/** Changes a sequence by what was sent. Gives its JSON. Throws 404, 422. [reference 4.4, decision 6] */
export async function updateSequence(scope: DeviceScope, id: number, body: Body): Promise<string> {
  const before = await scope.first(serializedSequences, { where: { id } });
  if (!before) throw notFound(sequences.singular);
  const reading = await readSequence(scope, body, 'update');
  if (Object.keys(reading.values).length === 0) {
    assertValid(reading);
    return show(scope, sequences, id);
  }
  const owner: Owner = { kind: 'Sequence', id };
  const sent: ProgramChange = reading.values;
  // With a body nothing of the program before matters.
  const tree = sent.body
    ? sequenceTree({ ...sent.args }, sent.body)
    : await readChangedProgram(scope, parsed(before), sent);
  const uses = tree ? await checkedUses(scope, tree, owner, reading) : [];
  assertValid(reading, await tooManyNow(scope, before, sent.body?.length ?? 0));
  const { args: _args, body: _body, ...others } = reading.values;
  await scope.update(serializedSequences, { ...others, ...(tree && serializeProgram(tree)) }, { where: { id } });
  if (tree) await storeUses(scope, owner, uses);
  return announced(scope, id);
}

/** A sequence that has more steps than it may keeps them. [decision 15] */
async function tooManyNow(scope: DeviceScope, before: WrittenSequence, steps: number): Promise<FieldFailures> {
  const failures = steps > 0 ? await stepLimitFailure(scope, steps) : {};
  if (Object.keys(failures).length === 0) return failures;
  return stepLimitFailure(scope, steps, (await findShownProgram(scope, parsed(before))).body.length);
}

/** Deletes a sequence that nothing uses. What was published of it stays. Throws 404, 422. [reference 4.5] */
export async function deleteSequence(scope: DeviceScope, id: number): Promise<void> {
  const row = await find(scope, sequences, id);
  await assertSequenceUnused(scope, id);
  await deleteUses(scope, { kind: 'Sequence', id });
  await deleteRecord(scope, sequences, row);
}
