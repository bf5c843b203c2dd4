import { resolveVariable } from './locations.ts';
import { axes, integerOf, nodeOf, numberOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import { namedPinOf } from './pins.ts';
import type { CachedSequence } from './sequence-cache.ts';
import type { StepContext } from './step-context.ts';

/** Carries out steps one after the other. */
export type RunSteps = (steps: readonly RobotNode[], context: StepContext) => Promise<void>;

/** Sequences that run each other are this deep at most. */
const deepestCall = 20;

type Variables = ReadonlyMap<string, RobotNode>;

/** What the caller gives to the sequence, by label; of equal labels the last one counts. */
const applied = (step: RobotNode, context: StepContext): Variables =>
  new Map(
    step.body
      .filter(({ kind }) => kind === 'parameter_application')
      // The caller's variables mean nothing inside: what they stand for is handed over.
      .map((each) => [textOf(each, 'label'), resolveVariable(nodeOf(each, 'data_value'), context)]),
  );

/** The values that the sequence begins with. Of equal labels the first one counts. [reference 2.5] */
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

/** `execute`: carries out a stored sequence with the values of the step's body; once for each point, where a value is a group. */
export async function execute(step: RobotNode, context: StepContext, carryOut: RunSteps): Promise<void> {
  const id = integerOf(step, 'sequence_id', 1, Number.MAX_SAFE_INTEGER);
  if (context.depth >= deepestCall) throw new StepError(`Sequences run each other more than ${deepestCall} deep.`);
  const sequence = await context.sequences.get(id);
  await runForEach(sequence, variablesOf(sequence, applied(step, context)), context, carryOut);
}

async function runForEach(
  sequence: CachedSequence,
  variables: Variables,
  context: StepContext,
  carryOut: RunSteps,
): Promise<void> {
  const [label, group] = [...variables].find(([, { kind }]) => kind === 'point_group') ?? [];
  if (label === undefined || !group) return run(sequence, variables, context, carryOut);
  for (const pointer_id of await context.garden.group(numberOf(group, 'point_group_id'))) {
    const point = { kind: 'point', args: { pointer_id }, body: [] };
    await runForEach(sequence, new Map([...variables, [label, point]]), context, carryOut);
  }
}

async function run(
  { name, steps }: CachedSequence,
  variables: Variables,
  context: StepContext,
  carryOut: RunSteps,
): Promise<void> {
  const { actions, sequenceLogs, depth, signal, allowance } = context;
  signal.throwIfAborted();
  // Also for a sequence without steps.
  allowance.take();
  actions.log('busy', `Started "${name}".`, { verbosity: sequenceLogs().begin ? 1 : 2 });
  for (const [index, step] of steps.entries()) {
    if (sequenceLogs().steps)
      actions.log('info', `"${name}", step ${index + 1}: ${toPrintable(step.kind, 40)}.`, { verbosity: 1 });
    await carryOut([step], { ...context, variables, depth: depth + 1 });
  }
  actions.log('success', `Completed "${name}".`, { verbosity: sequenceLogs().end ? 1 : 2 });
}

/** What `_if` looks at: its name, and its value if it is known. */
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

/** Of a pin that nobody wrote to or read, only this much is known: it is not any number. */
function holds(op: string, value: number | undefined, rhs: () => number): boolean {
  if (op === 'is_undefined') return value === undefined;
  if (op === 'not') return value !== rhs();
  if (op === 'is') return value === rhs();
  if (op === '<') return value !== undefined && value < rhs();
  if (op === '>') return value !== undefined && value > rhs();
  throw new StepError(`There is no comparison "${toPrintable(op, 40)}".`);
}

/** `_if`: runs a sequence or goes on, depending on a position or on what is known of a pin. */
export async function runIf(step: RobotNode, context: StepContext, carryOut: RunSteps): Promise<void> {
  const op = textOf(step, 'op');
  const { name, value } = await operandOf(step, context);
  const isTrue = holds(op, value, () => numberOf(step, 'rhs'));
  const way = nodeOf(step, isTrue ? '_then' : '_else');
  if (way.kind !== 'execute' && way.kind !== 'nothing')
    throw new StepError(`"${toPrintable(way.kind, 40)}" is no way for "_if" to go on.`);
  const condition = op === 'is_undefined' ? `${name} ${op}` : `${name} ${op} ${numberOf(step, 'rhs')}`;
  const next = way.kind === 'execute' ? 'runs a sequence' : 'goes on';
  context.actions.log('info', `${name} is ${value ?? 'unknown'}: "${condition}" is ${isTrue}, so it ${next}.`, {
    verbosity: 2,
  });
  if (way.kind === 'execute') await carryOut([way], context);
}
