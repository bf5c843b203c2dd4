import type { DeviceScope } from '../db/scope.ts';
import { grammar } from './grammar.ts';
import { luaSyntaxProblem } from './lua-syntax.ts';
import * as messages from './messages.ts';
import type { ProgramProblem } from './problem.ts';
import { maxProblems, Place, problem, rootPlace } from './problem.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequences } from './sequences.ts';
import type { Argument, Node, Tree } from './tree.ts';
import { isNode, sequenceTree } from './tree.ts';

interface Visit {
  readonly node: Node;
  readonly place: Place;
}

/** All nodes of a program, in its order. */
function* visitsOf({ root, positions }: Tree): Generator<Visit> {
  const stack: Visit[] = [{ node: root, place: rootPlace(root.kind) }];
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    yield visit;
    const { node, place } = visit;
    const nested = Object.entries(node.args).map(([name, node]) => ({ node, place: new Place(place, name) }));
    const body = (node.body ?? []).map((child, index) => ({
      node: child,
      place: new Place(place, positions.get(node)?.[index] ?? index),
    }));
    for (const each of [...nested, ...body].reverse()) if (isNode(each.node)) stack.push({ ...each, node: each.node });
  }
}

/** Whether a default only says of which kind a value must be. */
const isPlaceholder = (value: Argument | undefined): boolean =>
  isNode(value) && grammar.get(value.kind)?.row.rule === 'only as default';

const declarationsOf = ({ args: { locals } }: Node): readonly Node[] => (isNode(locals) ? (locals.body ?? []) : []);

/** Labels of nodes. */
const labelsOf = (nodes: readonly Node[]): ReadonlySet<Argument | undefined> =>
  new Set(nodes.map(({ args }) => args.label));

/** Names that Lua asks for: `variable("Plant")`. Comments are left out. */
function usedVariables(code: string): ReadonlySet<string> {
  const plain = code.replaceAll(/--\[\[[\s\S]*?\]\]|--[^\n]*/g, '');
  return new Set([...plain.matchAll(/\bvariable\s*\(\s*(["'])([^"'\\\n]*)\1/g)].map(([, , name = '']) => name));
}

/** What must be given to a program: the labels of variables that it has no value of its own for. */
interface Requirement {
  readonly name: string;
  readonly labels: readonly string[];
}

/** By the id of the program. */
type Requirements = ReadonlyMap<number, Requirement>;

async function requirementsOf(scope: DeviceScope, ids: readonly number[]): Promise<Requirements> {
  const found = new Map<number, Requirement>();
  if (ids.length === 0) return found;
  for (const sequence of await scope.rows(sequences, { where: { id: [...ids] } })) {
    const { args } = await findShownProgram(scope, sequence);
    const labels = declarationsOf(sequenceTree({ ...args }, []).root).flatMap(
      ({ kind, args: { label, default_value } }) =>
        kind === 'parameter_declaration' && typeof label === 'string' && isPlaceholder(default_value) ? [label] : [],
    );
    found.set(sequence.id, { name: sequence.name, labels });
  }
  return found;
}

/**
 * Returns what can be stored and fails when it runs: text that is not Lua, variables that Lua uses and the program does not have,
 * and programs that are run without the values that they need. Nothing is run.
 */
export async function findProgramWarnings(scope: DeviceScope, tree: Tree): Promise<ProgramProblem[]> {
  const visits = [...visitsOf(tree)];
  const declared = labelsOf(declarationsOf(tree.root));
  const isCall = ({ node }: Visit): boolean => node.kind === 'execute' && Number.isSafeInteger(node.args.sequence_id);
  const called = visits.filter(isCall).map(({ node }) => Number(node.args.sequence_id));
  const requirements = await requirementsOf(scope, [...new Set(called)]);
  const warnings: ProgramProblem[] = [];
  for (const visit of visits) {
    if (warnings.length >= maxProblems) break;
    warnings.push(...(await luaWarnings(visit, declared)), ...callWarnings(visit, requirements));
  }
  return warnings.slice(0, maxProblems);
}

/** Text that is not Lua, and variables in it that the program does not have. */
async function luaWarnings(
  { node, place }: Visit,
  declared: ReadonlySet<Argument | undefined>,
): Promise<ProgramProblem[]> {
  const { lua } = node.args;
  if (typeof lua !== 'string') return [];
  const here = new Place(place, 'lua');
  const syntax = await luaSyntaxProblem(lua);
  const unknown = [...usedVariables(lua)].filter((name) => !declared.has(name));
  return [
    ...(syntax === null ? [] : [problem('language', 'lua_syntax', here, messages.luaSyntax(syntax))]),
    ...unknown.map((name) => problem('language', 'unknown_variable', here, messages.unknownVariable(name))),
  ];
}

/** Values that the called program needs and the call does not give. */
function callWarnings({ node, place }: Visit, requirements: Requirements): ProgramProblem[] {
  const required = node.kind === 'execute' ? requirements.get(Number(node.args.sequence_id)) : undefined;
  if (!required) return [];
  const given = labelsOf(node.body ?? []);
  const unset = required.labels.filter((label) => !given.has(label));
  return unset.map((label) =>
    problem('language', 'unset_variable', place, messages.unsetVariable(required.name, label)),
  );
}
