import { argRules, grammar } from './grammar.ts';
import type { Node } from './tree.ts';
import { bodyOf, isNode } from './tree.ts';

/**
 * Names of kinds and of arguments with plain values in a program that may not be published, sorted, each once; none if it may.
 * Arguments that hold nodes are judged by those. [reference 5.4]
 */
export function findUnpublishable(root: Node): string[] {
  const names = new Set<string>();
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!grammar.get(node.kind)?.row.shared) names.add(node.kind);
    for (const [name, value] of Object.entries(node.args)) {
      if (isNode(value)) waiting.push(value);
      else if (!argRules.get(name)?.row.shared) names.add(name);
    }
    waiting.push(...bodyOf(node));
  }
  return [...names].sort();
}
