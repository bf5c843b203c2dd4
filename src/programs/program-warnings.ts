import { setImmediate } from 'node:timers/promises';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { misreadFormula, runnableLua } from '../core/lua-formula.ts';
import type { Message } from '../core/message.ts';
import { Slices } from '../core/request-pause.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { grammar, maxTextLength } from './grammar.ts';
import { luaCallWarnings } from './lua-calls.ts';
import { luaDialectWarnings } from './lua-dialect.ts';
import { LuaScript } from './lua-script.ts';
import { luaSyntaxProblem } from './lua-syntax.ts';
import type { ProblemCode, ProgramProblem } from './problem.ts';
import { maxProblems, Place, problem, rootPlace } from './problem.ts';
import * as messages from './problem-messages.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequences } from './sequences.ts';
import type { Argument, Node, Tree } from './tree.ts';
import { isNode, sequenceTree } from './tree.ts';

/** Programs that wait, of all gardens and of one. */
const [maxWaiting, maxWaitingPerGarden] = [100, 20];

const turns = new FairSemaphore(1, maxWaiting, maxWaitingPerGarden);

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

/** Returns Lua without comments. Each character is read once: a pattern would search the end of every `--[[` again. */
function withoutComments(code: string): string {
  let plain = '';
  let at = 0;
  const lastEnd = code.lastIndexOf(']]');
  for (let start = code.indexOf('--'); start >= 0; start = code.indexOf('--', at)) {
    plain += code.slice(at, start);
    const isBlock = code.startsWith('[[', start + 2) && lastEnd >= start + 4;
    const end = isBlock ? code.indexOf(']]', start + 4) + 2 : code.indexOf('\n', start);
    at = end >= 0 ? end : code.length;
  }
  return plain + code.slice(at);
}

/** Names that Lua asks for: `variable("Plant")`. Comments are left out. */
function usedVariables(code: string): ReadonlySet<string> {
  return new Set(
    [...withoutComments(code).matchAll(/\bvariable\s*\(\s*(["'])([^"'\\\n]*)\1\s*\)/g)].map(([, , name = '']) => name),
  );
}

/** The required values of a program: the labels of variables that it has no value of its own for. */
interface Requirement {
  readonly name: string;
  readonly labels: readonly string[];
}

/** By the id of the program. */
type Requirements = ReadonlyMap<number, Requirement>;

const existingIds: Selection<number> = { key: 'ids', expressions: ['id'], read: ([id]) => Number(id) };

async function requirementsOf(scope: DeviceScope, ids: readonly number[], slices: Slices): Promise<Requirements> {
  const found = new Map<number, Requirement>();
  if (ids.length === 0) return found;
  for (const id of await scope.select(sequences, existingIds, { where: { id: [...ids] } })) {
    await slices.pause();
    // A program may have a quarter of a MiB.
    const sequence = await scope.first(sequences, { where: { id } });
    if (!sequence) continue;
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
 * Returns storable parts that fail when they run: text that is not Lua, Lua that differs on a robot, unread pins, variables that Lua uses and the
 * program does not have, and programs that are run without the values that they need. Nothing is run. One program at a time, in slices. Throws 429 if too
 * many wait.
 */
export const findProgramWarnings = (scope: DeviceScope, tree: Tree): Promise<ProgramProblem[]> =>
  turns.run(String(scope.deviceId), async () => {
    // Its parsing and its check were the first slice.
    await setImmediate();
    return findWarnings(scope, tree, new Slices());
  });

async function findWarnings(scope: DeviceScope, tree: Tree, slices: Slices): Promise<ProgramProblem[]> {
  const visits = [...visitsOf(tree)];
  const declared = labelsOf(declarationsOf(tree.root));
  const isCall = ({ node }: Visit): boolean => node.kind === 'execute' && Number.isSafeInteger(node.args.sequence_id);
  const called = visits.filter(isCall).map(({ node }) => Number(node.args.sequence_id));
  const requirements = await requirementsOf(scope, [...new Set(called)], slices);
  const warnings: ProgramProblem[] = [];
  let mayKnowPins = false;
  for (const visit of visits) {
    if (warnings.length >= maxProblems) break;
    await slices.pause();
    warnings.push(...(await luaWarnings(visit, declared)), ...callWarnings(visit, requirements));
    if (!mayKnowPins) warnings.push(...pinWarnings(visit));
    mayKnowPins ||= stepsWithPins.has(visit.node.kind);
  }
  return warnings.slice(0, maxProblems);
}

/** Text that is not Lua or differs on a robot, and variables in it that the program does not have. */
async function luaWarnings(
  { node, place }: Visit,
  declared: ReadonlySet<Argument | undefined>,
): Promise<ProgramProblem[]> {
  const { lua } = node.args;
  // A longer one is a problem already.
  if (typeof lua !== 'string' || lua.length > maxTextLength) return [];
  const here = new Place(place, 'lua');
  const script = new LuaScript(lua);
  const inLine = (code: ProblemCode, line: number, message: Message): ProgramProblem => ({
    ...problem('language', code, here, message),
    line,
  });
  const unknown = [...usedVariables(lua)].filter((name) => !declared.has(name));
  return [
    ...(await syntaxWarnings(lua, here)),
    ...luaDialectWarnings(script).map(({ line, message }) => inLine('lua_dialect', line, message)),
    ...luaCallWarnings(script).map(({ code, line, message }) => inLine(code, line, message)),
    ...unknown.map((name) => problem('language', 'unknown_variable', here, messages.unknownVariable(name))),
  ];
}

async function syntaxWarnings(lua: string, place: Place): Promise<ProgramProblem[]> {
  const syntax = await luaSyntaxProblem(runnableLua(lua));
  if (syntax === null) return [];
  const isLua = async (code: string | null): Promise<boolean> =>
    code !== null && (await luaSyntaxProblem(code)) === null;
  let message = messages.luaSyntax(syntax);
  if (await isLua(misreadFormula(lua))) message = messages.misreadFormula;
  else if (await isLua(lua)) message = messages.luaStatement;
  return [problem('language', 'lua_syntax', place, message)];
}

/** Steps that read or set a pin, or may run one that does. */
const stepsWithPins: ReadonlySet<string> = new Set([
  'read_pin',
  'write_pin',
  'toggle_pin',
  'set_servo_angle',
  'execute',
  'execute_script',
  'lua',
]);

/** A pin that is compared before any step reads it. [rule R32] */
function pinWarnings({ node: { kind, args }, place }: Visit): ProgramProblem[] {
  const { lhs, op } = args;
  const isPin = isNode(lhs) || (typeof lhs === 'string' && lhs.startsWith('pin'));
  if (kind !== '_if' || !isPin || (op !== '<' && op !== '>')) return [];
  return [problem('language', 'unread_pin', new Place(place, 'lhs'), messages.unreadPin)];
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
