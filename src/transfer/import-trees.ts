import { argRules } from '../programs/grammar.ts';
import type { ProgramUse } from '../programs/references.ts';
import type { TargetTable } from '../programs/targets.ts';
import { tablesByUse } from '../programs/targets.ts';
import type { Argument, Node } from '../programs/tree.ts';
import { isNode } from '../programs/tree.ts';

/** Finds the id that a record of the document got. Undefined: no such record was taken. */
export type NewId = (table: string, id: number) => number | undefined;

/** What an argument of a node names; null if it names no record. */
function targetOf(name: string, args: Node['args']): TargetTable | 'devices' | null {
  const own = argRules.get(name)?.row.record;
  if (own === undefined) return null;
  if (typeof own === 'string') return own;
  const type = args[own.arg];
  if (type === 'Device') return 'devices';
  return typeof type === 'string' && Object.hasOwn(own.targets, type) ? (own.targets[type] ?? null) : null;
}

/** A step that says that a tool is mounted names the tool as a plain value. */
const isMounting = ({ kind, args }: Node): boolean => kind === 'pair' && args.label === 'mounted_tool_id';

/** The program with every id in it, at any depth, replaced by the one that the record has now. What names nothing that was taken stays. */
export function withNewIds(node: Node, newId: NewId): Node {
  const args: Record<string, Argument> = {};
  for (const [name, value] of Object.entries(node.args)) {
    let renamed: Argument = value;
    if (isNode(value)) renamed = withNewIds(value, newId);
    else if (typeof value === 'number') {
      const target = isMounting(node) && name === 'value' ? 'tools' : targetOf(name, node.args);
      if (target) renamed = newId(target, value) ?? value;
    }
    // Labels of arguments come from the table of the language, so that none of them is `__proto__`.
    args[name] = renamed;
  }
  return { ...node, args, ...(node.body && { body: node.body.map((child) => withNewIds(child, newId)) }) };
}

/** What a program uses under the ids of now, each once. */
export function usesWithNewIds(uses: readonly ProgramUse[], newId: NewId): ProgramUse[] {
  const renamed = new Map<string, ProgramUse>();
  for (const { target_kind, target_id } of uses) {
    const id = newId(tablesByUse[target_kind], target_id);
    if (id !== undefined) renamed.set(`${target_kind} ${id}`, { target_kind, target_id: id });
  }
  return [...renamed.values()];
}
