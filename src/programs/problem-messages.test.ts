import { expect, it } from 'vitest';
import type { Message } from '../core/message.ts';
import { checkProgram } from './checker.ts';
import { grammar, isKind } from './grammar.ts';
import { exampleNode } from './node-examples.ts';
import { parseProgram } from './program-document.ts';
import { Reference } from './references.ts';

/** Values that arguments do not accept. */
const wrongValues = [
  ...[null, '', 'x'.repeat(70_000), 'nobody', -1, 1.5, 1e300, true, [], {}, { kind: 'y', args: {} }],
  { kind: 'identifier', args: { label: 'Bed' } },
  { kind: 'nothing', args: {} },
];

/** The problems of programs in which one thing after the other is wrong, by their sentences. */
function findMessages(): { readonly found: Map<string, Message>; readonly codes: Set<string> } {
  const found = new Map<string, Message>();
  const codes = new Set<string>();
  const check = (node: unknown): void => {
    const program = parseProgram({}, [node]);
    const diagnostics = 'tree' in program ? checkProgram(program.tree, 'all').diagnostics : program.problems;
    for (const each of diagnostics) {
      const { code, message } = each instanceof Reference ? each.problem : each;
      codes.add(code);
      found.set(String(message), message);
    }
  };
  for (const kind of [...grammar.keys()].filter(isKind)) {
    const node = exampleNode(kind);
    check({ ...node, args: {} });
    check({ ...node, comment: 'x'.repeat(5000), body: [{ kind: 'sequence', args: {} }, { kind: 'z', args: {} }, 5] });
    for (const name of [...Object.keys(node.args), 'y'])
      for (const value of wrongValues) check({ ...node, args: { ...node.args, [name]: value } });
  }
  let deep: unknown = { kind: 'wait', args: { milliseconds: 1 } };
  for (let depth = 0; depth < 600; depth++) deep = { kind: 'lua', args: {}, body: [deep] };
  check(deep);
  return { found, codes };
}

it('no part of an English sentence remains in the French one', () => {
  const { found, codes } = findMessages();
  expect(found.size).toBeGreaterThan(300);
  for (const code of ['misplaced', 'missing_argument', 'no_node', 'not_found', 'too_deep', 'unpicked', 'wrong_type'])
    expect(codes).toContain(code);
  const english = /\b(must|the|to|not|or|and|body|which|has|argument|holds|whose|null|nothing)\b/;
  expect([...found.values()].map((each) => each.in('fr')).filter((each) => english.test(each))).toEqual([]);
});

it('people read no names of the command language', () => {
  const { found } = findMessages();
  const names = /\b[a-z]+_[a-z_]+\b/;
  const shown = [...found.values()].flatMap((each) => [each.in('fr'), each.in('en')]);
  expect(shown.filter((each) => names.test(each)).slice(0, 5)).toEqual([]);
});
