import { resolveVariable } from './locations.ts';
import { sayOfRobot } from './log-messages.ts';
import {
  axes,
  createNode,
  integerOf,
  nodeOf,
  numberOf,
  type RobotNode,
  StepError,
  textOf,
  toPrintable,
} from './nodes.ts';
import { namedPinOf } from './pins.ts';
import type { CachedSequence } from './sequence-cache.ts';
import type { StepContext } from './step-context.ts';

/** Runs steps in order. */
export type RunSteps = (steps: readonly RobotNode[], context: StepContext) => Promise<void>;

/** The variable that says for which point of a group a sequence runs. */
export const groupVariable = '__GROUP__';

/** Maximum depth of sequences that run each other. */
const maxCallDepth = 20;

type Variables = ReadonlyMap<string, RobotNode>;

/** Returns the arguments of an `execute` by label; of equal labels the last one counts. */
const applied = (step: RobotNode, context: StepContext): Variables =>
  new Map(
    step.body
      .filter(({ kind }) => kind === 'parameter_application')
      // The callee cannot see the caller's variables, so their values are passed.
      .map((each) => [textOf(each, 'label'), resolveVariable(nodeOf(each, 'data_value'), context)]),
  );

/** Returns the initial variables of a sequence. Of equal labels the first one counts. [rule P8] */
function variablesOf({ declarations }: CachedSequence, given: Variables): Variables {
  const values = new Map<string, RobotNode>();
  for (const declaration of declarations) {
    const label = textOf(declaration, 'label');
    if (values.has(label)) continue;
    if (declaration.kind === 'variable_declaration') values.set(label, nodeOf(declaration, 'data_value'));
    else values.set(label, given.get(label) ?? nodeOf(declaration, 'default_value'));
  }
  return values;
}

/** `execute`: runs a stored sequence with the arguments in the body, once for each point if an argument is a group. */
export async function execute(step: RobotNode, context: StepContext, runSteps: RunSteps): Promise<void> {
  const id = integerOf(step, 'sequence_id', 1, Number.MAX_SAFE_INTEGER);
  if (context.depth >= maxCallDepth) throw new StepError(`Sequences run each other more than ${maxCallDepth} deep.`);
  const sequence = await context.sequences.get(id);
  await runForEach(sequence, variablesOf(sequence, applied(step, context)), context, runSteps);
}

async function runForEach(
  sequence: CachedSequence,
  variables: Variables,
  context: StepContext,
  runSteps: RunSteps,
): Promise<void> {
  // Counts sequences without steps and groups without points too.
  context.signal.throwIfAborted();
  context.budget.use();
  const [label, group] = [...variables].find(([, { kind }]) => kind === 'point_group') ?? [];
  if (label === undefined || !group) return run(sequence, variables, context, runSteps);
  const { name, points } = await context.garden.group(numberOf(group, 'point_group_id'), context.random);
  for (const [index, { id: pointer_id }] of points.entries()) {
    const values = [
      [label, createNode('point', { pointer_id })],
      [groupVariable, createNode(groupVariable, { name, current_index: index + 1, size: points.length })],
    ] as const;
    await runForEach(sequence, new Map([...variables, ...values]), context, runSteps);
  }
}

async function run(
  { id, name, steps }: CachedSequence,
  variables: Variables,
  context: StepContext,
  runSteps: RunSteps,
): Promise<void> {
  const { actions, account, depth, running } = context;
  actions.log('busy', sayOfRobot.started(name), { verbosity: account.sequenceLogs.begin ? 1 : 2 });
  try {
    for (const [index, step] of steps.entries()) {
      running.begin(depth, { sequence_id: id, step: index + 1, steps: steps.length });
      if (account.sequenceLogs.steps)
        actions.log('info', sayOfRobot.step(name, index + 1, toPrintable(step.kind, 40)), { verbosity: 1 });
      await runSteps([step], { ...context, variables, depth: depth + 1 });
    }
  } finally {
    running.end(depth);
  }
  actions.log('success', sayOfRobot.completed(name), { verbosity: account.sequenceLogs.end ? 1 : 2 });
}

/** The left-hand side of an `_if`; its value is undefined if unknown. */
interface Operand {
  readonly name: string;
  readonly value: number | undefined;
}

async function operandOf(step: RobotNode, context: StepContext): Promise<Operand> {
  const { position, pins } = context.machine;
  const { lhs } = step.args;
  if (typeof lhs !== 'string') {
    const { key, name } = await namedPinOf(nodeOf(step, 'lhs'), context);
    return { name, value: pins.get(key)?.value };
  }
  const axis = axes.find((each) => each === lhs);
  if (axis) return { name: axis, value: position[axis] };
  const pin = /^pin(\d{1,2})$/.exec(lhs)?.[1];
  if (pin === undefined) throw new StepError(`"${toPrintable(lhs, 40)}" cannot be compared.`);
  return { name: `pin ${pin}`, value: pins.get(pin)?.value };
}

/** Evaluates a comparison. The value of a pin that was never read or written is undefined and unequal to any number. */
function holds(op: string, value: number | undefined, rhs: () => number): boolean {
  if (op === 'is_undefined') return value === undefined;
  if (op === 'not') return value !== rhs();
  if (op === 'is') return value === rhs();
  if (op === '<') return value !== undefined && value < rhs();
  if (op === '>') return value !== undefined && value > rhs();
  throw new StepError(`There is no comparison "${toPrintable(op, 40)}".`);
}

/** `_if`: runs a sequence or continues, depending on a position or a pin. */
export async function runIf(step: RobotNode, context: StepContext, runSteps: RunSteps): Promise<void> {
  const op = textOf(step, 'op');
  const { name, value } = await operandOf(step, context);
  const isTrue = holds(op, value, () => numberOf(step, 'rhs'));
  const branch = nodeOf(step, isTrue ? '_then' : '_else');
  if (branch.kind !== 'execute' && branch.kind !== 'nothing')
    throw new StepError(`"${toPrintable(branch.kind, 40)}" is not allowed as a branch of "_if".`);
  const condition = op === 'is_undefined' ? `${name} ${op}` : `${name} ${op} ${numberOf(step, 'rhs')}`;
  const { trueRuns, trueContinues, falseRuns, falseContinues } = sayOfRobot;
  const [runs, continues] = isTrue ? [trueRuns, trueContinues] : [falseRuns, falseContinues];
  const sentence = branch.kind === 'execute' ? runs : continues;
  context.actions.log('info', sentence(name, String(value ?? 'unknown'), condition), { verbosity: 2 });
  if (branch.kind === 'execute') await runSteps([branch], context);
}
