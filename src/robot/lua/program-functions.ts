import { isObject } from '../../core/json.ts';
import { slotPlace } from '../garden-reader.ts';
import { resolveVariable } from '../locations.ts';
import {
  createNode,
  hasArg,
  integerOf,
  numberOf,
  type RobotNode,
  readNode,
  StepError,
  textOf,
  toPrintable,
  vectorOf,
} from '../nodes.ts';
import { groupVariable } from '../sequence-steps.ts';
import type { StepContext } from '../step-context.ts';
import { agedPoint } from './garden-points.ts';
import {
  failureOf,
  type LuaScript,
  optionsOf,
  Results,
  type SomeLuaFunctions,
  tableOf,
  wrongCall,
} from './lua-function.ts';

const idOf = (node: RobotNode, name: string): number => integerOf(node, name, 1, Number.MAX_SAFE_INTEGER);

/** The paths of records that variables name, by type; other types are points. */
const resourcePaths: ReadonlyMap<string, string> = new Map([
  ['Sequence', 'sequences'],
  ['Peripheral', 'peripherals'],
  ['Sensor', 'sensors'],
]);

/** Returns the record that a `resource` names. One of a sequence can be passed to `cs_eval`. */
async function resourceValue(node: RobotNode, { garden }: StepContext): Promise<unknown> {
  const type = textOf(node, 'resource_type');
  if (type === 'Device') return garden.record('/api/device', 'device');
  const id = idOf(node, 'resource_id');
  const record = await garden.record(`/api/${resourcePaths.get(type) ?? 'points'}/${id}`, `${type} ${id}`);
  return type === 'Sequence' ? { id, name: record.name, kind: 'execute', args: { sequence_id: id } } : record;
}

/** Returns the value of a variable for Lua; of an unknown one, as robots do, a table with an error. */
async function variableValue(label: string, context: StepContext): Promise<unknown> {
  const { garden, machine, clock, variables } = context;
  if (!variables.has(label)) {
    const error = `There is no variable "${toPrintable(label, 60)}".`;
    return new Results({ kind: 'error', error }, error);
  }
  const node = resolveVariable(createNode('identifier', { label }), context);
  const pointValue = (record: Readonly<Record<string, unknown>>) => ({
    ...agedPoint(record, clock.now()),
    ...{ resource_type: record.pointer_type, resource_id: record.id },
    // Points that are no plants have no age here.
    ...(record.pointer_type !== 'Plant' && { age: null }),
  });
  if (node.kind === groupVariable) return node.args;
  if (node.kind === 'numeric') return numberOf(node, 'number');
  if (node.kind === 'text') return textOf(node, 'string');
  if (node.kind === 'coordinate') return vectorOf(node);
  if (node.kind === 'tool') {
    const slot = await garden.slotRecord(idOf(node, 'tool_id'));
    return { ...pointValue(slot), ...slotPlace(slot, machine.position) };
  }
  if (node.kind === 'point') {
    const id = idOf(node, 'pointer_id');
    return pointValue(await garden.record(`/api/points/${id}`, `point ${id}`));
  }
  if (node.kind === 'resource') return resourceValue(node, context);
  throw new StepError(`The variable "${toPrintable(label, 60)}" has no value.`);
}

const variable = (call: RobotNode, { context }: LuaScript): Promise<unknown> =>
  variableValue(hasArg(call, 'label') ? textOf(call, 'label') : 'parent', context);

/** Returns the steps in a body: tables of Lua that are empty or have gaps are objects. */
function stepsIn(body: unknown): unknown {
  if (!isObject(body) || !Object.keys(body).every((key) => /^\d+$/.test(key))) return body;
  return Object.entries(body)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, step]) => step);
}

/** Returns a node of a script whose bodies are lists. */
function withLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLists);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withLists(key === 'body' ? stepsIn(each) : each)]),
  );
}

/** Runs steps of the command language. Returns true, or false and the reason of a failure, which is logged. */
async function evaluate(node: unknown, script: LuaScript): Promise<unknown> {
  const { kind, body, ...rest } = readNode(withLists(node));
  if (!['execute', 'rpc_request', 'sequence'].includes(kind))
    throw wrongCall(`"cs_eval" takes an "execute", a "sequence" or an "rpc_request": "rpc" runs other steps.`);
  const steps = kind === 'execute' ? [{ kind, body, ...rest }] : body;
  const problem = await failureOf(async () => {
    for (const step of steps) await script.run(step);
  }, script);
  if (problem === null) return true;
  script.context.actions.log('error', problem);
  return new Results(false, problem);
}

/** Runs a step of the command language. */
const runStep = (step: unknown, script: LuaScript): Promise<unknown> =>
  evaluate({ kind: 'rpc_request', args: { label: 'lua' }, body: [step] }, script);

/** Variables, steps and programs. */
export const programFunctions = {
  variable,
  variables: variable,
  cs_eval: (call, script) => evaluate(call.args.node, script),
  rpc: (call, script) => runStep(tableOf(call, 'step').args, script),
  sequence: (call, script) => {
    const sequence_id = idOf(call, 'id');
    const body = Object.entries(optionsOf(call, 'parameters').args).map(([label, data_value]) => ({
      kind: 'parameter_application',
      args: { label, data_value },
    }));
    return runStep({ kind: 'execute', args: { sequence_id }, body }, script);
  },
} satisfies SomeLuaFunctions;
