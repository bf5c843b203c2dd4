import type { DeviceScope } from '../db/scope.ts';
import { checkProgram } from '../programs/checker.ts';
import type { FarmEvent } from '../programs/farm-event-changes.ts';
import { occurrencesFailure, timeRangeFailures } from '../programs/farm-event-changes.ts';
import { farmEvents } from '../programs/farm-events.ts';
import type { Problem } from '../programs/problem.ts';
import { toPrintable } from '../programs/problem.ts';
import type { SequenceArgs } from '../programs/program-kinds.ts';
import type { Diagnostic, ProgramUse } from '../programs/references.ts';
import { collectProblems, referencedIds } from '../programs/references.ts';
import type { RegimenItemInput } from '../programs/regimen-items.ts';
import { regimens } from '../programs/regimens.ts';
import { sequences } from '../programs/sequences.ts';
import type { Tree } from '../programs/tree.ts';
import { farmEventTree, regimenTree, sequenceTree } from '../programs/tree.ts';
import type { EntryLists, KnownRecords } from './import-known.ts';
import { keepEntries } from './import-known.ts';
import type { Entry } from './import-records.ts';
import { madeAt, sentenceOf } from './import-records.ts';
import type { ImportRemarks } from './import-report.ts';
import type { Turns } from './import-turns.ts';

/** What all of this needs. */
export interface ProgramInput {
  readonly scope: DeviceScope;
  readonly lists: EntryLists;
  readonly known: KnownRecords;
  readonly remarks: ImportRemarks;
  readonly turns: Turns;
  /** Steps that a sequence of this device may have. */
  readonly mostSteps: number;
}

interface CheckedProgram {
  readonly entry: Entry;
  readonly diagnostics: readonly Diagnostic[];
}

function checked(entry: Entry, tree: Tree): CheckedProgram {
  const { diagnostics, uses } = checkProgram(tree, 'all');
  entry.program = { root: tree.root, uses, namesSequences: referencedIds(diagnostics).has('sequences') };
  delete entry.values.body;
  return { entry, diagnostics };
}

/** Says why a program is left out: its first problem, and how many there are. */
function tellLoss(what: string, { path }: Entry, problems: readonly Problem[], remarks: ImportRemarks): void {
  const [first] = problems;
  const more = problems.length > 1 ? ` There are ${problems.length - 1} more problems in it.` : '';
  remarks.lost(`${path}${first?.path ?? ''}`, `This ${what} was left out: ${first?.message ?? ''}${more}`);
}

/**
 * Checks the programs of all sequences. One that is not right or names what is not there is left out, and so are those that
 * run it. They may run each other in any order, and in circles.
 */
async function checkSequences({ lists, known, remarks, turns, mostSteps }: ProgramInput): Promise<void> {
  const list = lists.get(sequences.name);
  if (!list) return;
  const programs = new Map<number, CheckedProgram>();
  const callers = new Map<number, CheckedProgram[]>();
  for (const entry of list.entries) {
    await turns.next();
    const { args, body } = entry.values as { args: SequenceArgs; body: readonly object[] };
    if (body.length > mostSteps)
      remarks.problem(`${entry.path}/body`, `A sequence may have at most ${mostSteps} steps, not ${body.length}.`);
    if ((entry.sent.sequence_version_id ?? null) !== null) {
      entry.values.forked = false;
      remarks.noted(entry.path, 'This linked to a shared version; it is a sequence of its own now.');
    }
    const program = checked(entry, sequenceTree({ ...args }, body));
    delete entry.values.args;
    programs.set(entry.id, program);
    for (const id of referencedIds(program.diagnostics).get('sequences') ?? []) {
      const others = callers.get(id);
      if (others) others.push(program);
      else callers.set(id, [program]);
    }
  }
  const { existing } = known;
  const wrong = new Set<Entry>();
  const waiting = [...programs.values()];
  // Whoever runs a sequence that is left out is looked at again.
  for (const { entry, diagnostics } of waiting) {
    await turns.next();
    if (wrong.has(entry)) continue;
    const problems = collectProblems(diagnostics, existing);
    if (problems.length === 0) continue;
    wrong.add(entry);
    known.forget(sequences.name, entry.id);
    tellLoss(`sequence '${toPrintable(String(entry.values.name))}'`, entry, problems, remarks);
    for (const caller of callers.get(entry.id) ?? []) if (!wrong.has(caller.entry)) waiting.push(caller);
  }
  await keepEntries(list, known, turns, (entry) => !wrong.has(entry));
}

const itemUses = (items: readonly RegimenItemInput[]): ProgramUse[] =>
  [...new Set(items.map(({ sequence_id }) => sequence_id))].map((target_id) => ({
    target_kind: 'sequence',
    target_id,
  }));

async function checkRegimens({ lists, known, remarks, turns }: ProgramInput): Promise<void> {
  const list = lists.get(regimens.name);
  if (!list) return;
  const { existing } = known;
  await keepEntries(list, known, turns, (entry) => {
    const items = entry.values.regimen_items as readonly RegimenItemInput[];
    const sent = entry.sent.regimen_items as readonly Readonly<Record<string, unknown>>[];
    for (const [index, item] of sent.entries()) madeAt(item, `${entry.path}/regimen_items/${index}`, remarks);
    let isWhole = true;
    items.forEach(({ sequence_id }, index) => {
      const state = known.state(sequences.name, sequence_id);
      if (state === 'missing')
        remarks.problem(
          `${entry.path}/regimen_items/${index}/sequence_id`,
          `The document has no sequence ${sequence_id}.`,
        );
      if (state !== 'left out') return;
      if (isWhole) remarks.lost(entry.path, `This regimen runs the sequence ${sequence_id}, which was left out.`);
      isWhole = false;
    });
    if (!isWhole) return false;
    const program = checked(entry, regimenTree((entry.values.body ?? []) as readonly unknown[]));
    const problems = collectProblems(program.diagnostics, existing);
    if (problems.length > 0) tellLoss('regimen', entry, problems, remarks);
    else if (entry.program) entry.program = { ...entry.program, uses: [...itemUses(items), ...entry.program.uses] };
    return problems.length === 0;
  });
}

/** The table of what an event runs. */
export const executableTable = (type: unknown): string => (type === 'Regimen' ? regimens.name : sequences.name);

function checkDates(scope: DeviceScope, entry: Entry, remarks: ImportRemarks): void {
  const values = entry.values as Partial<FarmEvent>;
  const { start_time, end_time, repeat = 1, time_unit = 'never' } = values;
  const failures = timeRangeFailures(scope, { ...(start_time && { start_time }), ...(end_time && { end_time }) });
  if (time_unit !== 'never' && !end_time) failures.end_time = 'End Time is required for an event that repeats.';
  if (start_time && end_time) Object.assign(failures, occurrencesFailure({ start_time, end_time, repeat, time_unit }));
  for (const [name, failure] of Object.entries(failures)) remarks.problem(`${entry.path}/${name}`, sentenceOf(failure));
}

async function checkFarmEvents({ scope, lists, known, remarks, turns }: ProgramInput): Promise<void> {
  const list = lists.get(farmEvents.name);
  if (!list) return;
  const { existing } = known;
  await keepEntries(list, known, turns, (entry) => {
    const { executable_type, executable_id } = entry.values;
    const table = executableTable(executable_type);
    const what = `${String(executable_type).toLowerCase()} ${String(executable_id)}`;
    const state = typeof executable_id === 'number' ? known.state(table, executable_id) : 'missing';
    if (state === 'missing') remarks.problem(`${entry.path}/executable_id`, `The document has no ${what}.`);
    if (state === 'left out') remarks.lost(entry.path, `This event runs the ${what}, which was left out.`);
    if (state !== 'there') return false;
    checkDates(scope, entry, remarks);
    const program = checked(entry, farmEventTree((entry.values.body ?? []) as readonly unknown[]));
    const problems = collectProblems(program.diagnostics, existing);
    if (problems.length > 0) tellLoss('event', entry, problems, remarks);
    else if (entry.program) {
      const use: ProgramUse = {
        target_kind: table === regimens.name ? 'regimen' : 'sequence',
        target_id: Number(executable_id),
      };
      entry.program = { ...entry.program, uses: [use, ...entry.program.uses] };
    }
    return problems.length === 0;
  });
}

/** Checks everything that is written in the command language, and what it needs. What is left out is told, with all that needs it. */
export async function checkPrograms(input: ProgramInput): Promise<void> {
  await checkSequences(input);
  await checkRegimens(input);
  await checkFarmEvents(input);
}
