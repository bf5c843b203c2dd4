import type { Message } from '../../core/message.ts';
import { sentences } from '../../core/message.ts';
import type { Insertable } from '../../db/scope.ts';
import type { RowOf } from '../../db/table.ts';
import { checkProgram } from '../../programs/checker.ts';
import { argRules } from '../../programs/grammar.ts';
import type { ProgramProblem } from '../../programs/problem.ts';
import type { OwnerKind } from '../../programs/program-references.ts';
import { programReferences } from '../../programs/program-references.ts';
import type { Diagnostic, ExistingRecords, ProgramUse } from '../../programs/references.ts';
import { collectProblems, referencedIds } from '../../programs/references.ts';
import type { TargetTable } from '../../programs/targets.ts';
import { tablesByUse, targetTables } from '../../programs/targets.ts';
import type { Argument, Node, Tree } from '../../programs/tree.ts';
import { bodyOf, isNode } from '../../programs/tree.ts';
import type { Entry, KnownRecords } from '../import-entries.ts';
import type { ImportRemarks } from '../import-report.ts';
import { say } from '../messages.ts';
import type { PlanContext, RecordWriter } from '../transfer-rules.ts';

/** The program of an entry. Its ids are the document's. */
export interface EntryProgram {
  readonly root: Node;
  readonly uses: readonly ProgramUse[];
  /** Whether it refers to sequences, which may be stored after it. */
  readonly namesSequences: boolean;
}

const programs = new WeakMap<Entry, EntryProgram>();

/** Checks the program of an entry and keeps it, with `ownUses` in addition to the program's. */
export function parseEntryProgram(
  entry: Entry,
  tree: Tree,
  ownUses: readonly ProgramUse[] = [],
): readonly Diagnostic[] {
  const { diagnostics, uses } = checkProgram(tree, 'all');
  const namesSequences = referencedIds(diagnostics).has('sequences');
  programs.set(entry, { root: tree.root, uses: [...ownUses, ...uses], namesSequences });
  delete entry.values.body;
  return diagnostics;
}

export function programOf(entry: Entry): EntryProgram {
  const program = programs.get(entry);
  if (!program) throw new Error('the program of an entry was not parsed');
  return program;
}

/** Returns the records that programs can refer to, updated as records are omitted. */
export const existingRecords = (known: KnownRecords): ExistingRecords =>
  new Map(targetTables.map((table) => [table, known.stored(table)]));

/** Reports that a program is omitted, with its first problem and the number of further ones. */
export function reportOmitted(
  what: Message,
  { path }: Entry,
  [first, ...others]: readonly ProgramProblem[],
  remarks: ImportRemarks,
): void {
  if (!first) return;
  const omitted = say.omitted(what, first.message);
  const more = others.length > 0 ? [say.moreProblems(others.length)] : [];
  remarks.lost(`${path}${first.path}`, sentences([omitted, ...more]));
}

/** Checks the program of an entry and its references, with `ownUses` in addition to the program's. Reports that an entry with problems is omitted. */
export function hasValidProgram(
  what: Message,
  entry: Entry,
  tree: Tree,
  ownUses: readonly ProgramUse[],
  { known, remarks }: PlanContext,
): boolean {
  const problems = collectProblems(parseEntryProgram(entry, tree, ownUses), existingRecords(known));
  if (problems.length > 0) reportOmitted(what, entry, problems, remarks);
  return problems.length === 0;
}

type NewId = RecordWriter['newId'];

/** Returns the table of the record that an argument refers to; null if it refers to none. */
function targetOf(name: string, args: Node['args']): TargetTable | 'devices' | null {
  const own = argRules.get(name)?.row.record;
  if (own === undefined) return null;
  if (typeof own === 'string') return own;
  const type = args[own.arg];
  if (type === 'Device') return 'devices';
  return typeof type === 'string' && Object.hasOwn(own.targets, type) ? (own.targets[type] ?? null) : null;
}

/** Whether a step sets the mounted tool, whose id is a plain value. */
const setsMountedTool = ({ kind, args }: Node): boolean => kind === 'pair' && args.label === 'mounted_tool_id';

/** Returns the program with the new ids of all imported records, at any depth. Other ids are kept. */
export function withNewIds(node: Node, newId: NewId): Node {
  const args: Record<string, Argument> = {};
  for (const [name, value] of Object.entries(node.args)) {
    let renamed: Argument = value;
    if (isNode(value)) renamed = withNewIds(value, newId);
    else if (typeof value === 'number') {
      const target = setsMountedTool(node) && name === 'value' ? 'tools' : targetOf(name, node.args);
      if (target) renamed = newId(target, value) ?? value;
    }
    // The checker only accepts argument names of the language, so that none of them is `__proto__`.
    args[name] = renamed;
  }
  return { ...node, args, ...(node.body && { body: node.body.map((child) => withNewIds(child, newId)) }) };
}

/** Returns the distinct uses of a program with the new ids of imported records. */
export function usesWithNewIds(uses: readonly ProgramUse[], newId: NewId): ProgramUse[] {
  const renamed = new Map<string, ProgramUse>();
  for (const { target_kind, target_id } of uses) {
    const id = newId(tablesByUse[target_kind], target_id);
    if (id !== undefined) renamed.set(`${target_kind} ${id}`, { target_kind, target_id: id });
  }
  return [...renamed.values()];
}

/** Returns the body of an entry's program with new ids. */
export const newBody = (entry: Entry, { newId }: RecordWriter): readonly Node[] =>
  bodyOf(withNewIds(programOf(entry).root, newId));

/** Stores the references of entries' programs to records. */
export async function storeEntryUses(
  owner_kind: OwnerKind,
  table: string,
  entries: readonly Entry[],
  { newId, storedId, slices, insertAll }: RecordWriter,
): Promise<void> {
  const rows: Insertable<RowOf<typeof programReferences>>[] = [];
  for (const entry of entries) {
    const owner_id = storedId(table, entry);
    for (const use of usesWithNewIds(programOf(entry).uses, newId)) rows.push({ owner_kind, owner_id, ...use });
    await slices.pause();
  }
  await insertAll(programReferences, rows);
}
