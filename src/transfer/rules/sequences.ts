import { say as sayOfPrograms } from '../../programs/messages.ts';
import { printableText } from '../../programs/printable-text.ts';
import type { SequenceArgs } from '../../programs/program-kinds.ts';
import type { Diagnostic } from '../../programs/references.ts';
import { collectProblems, referencedIds } from '../../programs/references.ts';
import { serializedSequences, serializeProgram } from '../../programs/sequence-changes.ts';
import { sequenceLimits } from '../../programs/sequence-limits.ts';
import { sequenceChanges, sequences } from '../../programs/sequences.ts';
import { targetTables } from '../../programs/targets.ts';
import { sequenceTree } from '../../programs/tree.ts';
import type { Entry, EntryList } from '../import-entries.ts';
import { say } from '../messages.ts';
import type { PlanContext, RecordWriter, TransferRules } from '../transfer-rules.ts';
import {
  existingRecords,
  parseEntryProgram,
  programOf,
  reportOmitted,
  storeEntryUses,
  withNewIds,
} from './program-entries.ts';

/** Parses the program of a sequence. Returns its problems and references. */
function checkSequence(entry: Entry, maxSteps: number, { remarks }: PlanContext): readonly Diagnostic[] {
  const { args, body } = entry.values as { args: SequenceArgs; body: readonly object[] };
  if (body.length > maxSteps) remarks.problem(`${entry.path}/body`, sayOfPrograms.maxSteps(maxSteps, body.length));
  if ((entry.sent.sequence_version_id ?? null) !== null) {
    entry.values.forked = false;
    remarks.adjusted(entry.path, say.unlinked);
  }
  delete entry.values.args;
  return parseEntryProgram(entry, sequenceTree({ ...args }, body));
}

/** Omits sequences with problems or missing references, and sequences that run them. Sequences can run each other in any order, also recursively. */
async function checkSequences(list: EntryList, context: PlanContext): Promise<void> {
  const { known, remarks, slices } = context;
  const { steps } = sequenceLimits(context.device);
  const diagnostics = new Map<Entry, readonly Diagnostic[]>();
  const callers = new Map<number, Entry[]>();
  for (const entry of list.entries) {
    await slices.pause();
    const found = checkSequence(entry, steps, context);
    diagnostics.set(entry, found);
    for (const id of referencedIds(found).get('sequences') ?? []) {
      const others = callers.get(id);
      if (others) others.push(entry);
      else callers.set(id, [entry]);
    }
  }
  const existing = existingRecords(known);
  const omitted = new Set<Entry>();
  // Grows: the callers of an omitted sequence are checked again.
  const pending = [...list.entries];
  for (const entry of pending) {
    await slices.pause();
    const problems = omitted.has(entry) ? [] : collectProblems(diagnostics.get(entry) ?? [], existing);
    if (problems.length === 0) continue;
    omitted.add(entry);
    known.omit(sequences.name, entry.id);
    reportOmitted(say.named(say.program, printableText(String(entry.values.name))), entry, problems, remarks);
    for (const caller of callers.get(entry.id) ?? []) pending.push(caller);
  }
  list.entries = list.entries.filter((entry) => !omitted.has(entry));
}

/** Stored in place of a program that is completed later. */
const emptyProgram = { args: '{}', body: '[]' };

const serialize = (entry: Entry, { newId }: RecordWriter): { args: string; body: string } =>
  serializeProgram({ root: withNewIds(programOf(entry).root, newId) });

export const sequenceRules: TransferRules = {
  resource: sequences,
  fields: sequenceChanges,
  // Versions of another server have no meaning here.
  ignoredFields: ['sequence_version_id'],
  limit: (device) => sequenceLimits(device).sequences,
  dependsOn: targetTables,
  check: checkSequences,
  // Programs are stored as serialized here, without parsing them once more.
  table: serializedSequences,
  toRow(row, entry, writer) {
    // The sequences that it refers to may not be stored yet.
    Object.assign(row, programOf(entry).namesSequences ? emptyProgram : serialize(entry, writer));
  },
  async afterInsert(entries, writer) {
    for (const entry of entries) {
      if (!programOf(entry).namesSequences) continue;
      const where = { id: writer.storedId(sequences.name, entry) };
      await writer.scope.update(serializedSequences, serialize(entry, writer), { where });
      await writer.slices.pause();
    }
    await storeEntryUses('Sequence', sequences.name, entries, writer);
  },
};
