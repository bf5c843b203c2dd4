import type { NodeKind } from './corpus.ts';
import type { ArgRule } from './grammar.ts';
import { grammar, isKind } from './grammar.ts';
import type { Argument, Node } from './tree.ts';

type Overrides = Readonly<Partial<Record<string, string | number | boolean>>>;

/** The step in examples of bodies that allow any step. */
const anyStep: NodeKind = 'wait';

function argument(rule: ArgRule, example: string | number | boolean): Argument {
  return typeof example === 'string' && rule.kinds.has(example) && isKind(example) ? bare(example, {}) : example;
}

function bare(kind: NodeKind, overrides: Overrides): Node {
  const rule = grammar.get(kind);
  const args: Record<string, Argument> = {};
  for (const [name, arg] of rule?.args ?? [])
    args[name] = argument(arg, overrides[name] ?? rule?.row.example?.[arg.name] ?? arg.row.example);
  return { kind, args };
}

/** Returns a valid node of this kind with made-up ids and, if the table has an example for it, one node in its body. */
export function exampleNode(kind: NodeKind): Node {
  const rule = grammar.get(kind);
  const node = bare(kind, {});
  if (!rule?.row.inside) return node;
  const child = rule.row.body === 'steps' ? anyStep : [...rule.body].find(isKind);
  return child ? { ...node, body: [bare(child, rule.row.inside)] } : node;
}
