import { isObject } from '../../core/json.ts';
import { resolveVariable } from '../locations.ts';
import { sayOfRobot } from '../log-messages.ts';
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
import { type HttpMethod, RobotError } from '../robot-api.ts';
import type { StepContext } from '../step-context.ts';
import { type LuaFunction, type LuaFunctions, type LuaScript, wordsOf } from './lua-function.ts';

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

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

/** Returns the value of a variable for Lua. */
async function variableValue(label: string, context: StepContext): Promise<unknown> {
  const node = resolveVariable(createNode('identifier', { label }), context);
  const { garden, machine } = context;
  // A slot on the gantry moves along with it.
  const placed = (record: Record<string, unknown>) =>
    record.gantry_mounted === true ? { ...record, x: machine.position.x } : record;
  if (node.kind === 'numeric') return numberOf(node, 'number');
  if (node.kind === 'text') return textOf(node, 'string');
  if (node.kind === 'coordinate') return vectorOf(node);
  if (node.kind === 'tool') return placed({ ...(await garden.slotRecord(idOf(node, 'tool_id'))) });
  if (node.kind === 'point') {
    const id = idOf(node, 'pointer_id');
    return placed({ ...(await garden.record(`/api/points/${id}`, `point ${id}`)) });
  }
  if (node.kind === 'resource') return resourceValue(node, context);
  throw new StepError(`The variable "${toPrintable(label, 60)}" has no value.`);
}

/** Returns a property of the record's own: inherited ones are functions, which cannot be passed to the script. */
const ownField = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : null;

const fieldOf = (call: RobotNode, record: Readonly<Record<string, unknown>>): unknown =>
  hasArg(call, 'field') ? ownField(record, textOf(call, 'field')) : record;

const time = (part: (date: Date) => number): LuaFunction => ({
  takes: '',
  run: (_call, { context: { clock } }) => part(new Date(clock.now())),
});

/** Returns the path that is requested for a relative URL: without `..`. */
const pathOf = (url: string): string => new URL(url, 'http://localhost').pathname;

/** Requests of the robot's own server. A rejected one is logged. */
async function request({ args }: RobotNode, { context: { api, actions } }: LuaScript): Promise<unknown> {
  const method = methods.find((each) => each === String(args.method ?? 'get').toUpperCase());
  if (!method) throw new StepError('"api" needs one of the methods get, post, put, patch and delete.');
  const { url, body } = args;
  if (typeof url !== 'string' || !url.startsWith('/api/') || !pathOf(url).startsWith('/api/'))
    throw new StepError('The "url" of "api" begins with /api/.');
  try {
    return await api.request(
      method,
      url,
      method === 'GET' ? undefined : isObject(body) || Array.isArray(body) ? body : undefined,
    );
  } catch (error) {
    if (!(error instanceof RobotError)) throw error;
    actions.log('error', `${method} ${toPrintable(url, 100)}: ${toPrintable(error.message)}`);
    return null;
  }
}

/** Requests of other servers: GET only, and only if the robot may send them. */
async function requestElsewhere(call: RobotNode, { context: { fetch, actions } }: LuaScript): Promise<unknown> {
  // A robot on the command line may run inside a network whose servers scripts must not reach.
  if (!fetch) return actions.log('warn', sayOfRobot.noRequests);
  if (String(call.args.method ?? 'get').toUpperCase() !== 'GET')
    throw new StepError('"http" of a virtual robot supports the method get only.');
  const url = textOf(call, 'url');
  try {
    return await fetch(url);
  } catch (error) {
    actions.log('error', `http: ${toPrintable(error instanceof Error ? error.message : 'the request failed')}`);
    return null;
  }
}

/** Returns a node whose empty bodies are lists: an empty table of Lua is an object. */
function withLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLists);
  if (!isObject(value)) return value;
  const isEmptyBody = (key: string, each: unknown) =>
    key === 'body' && isObject(each) && Object.keys(each).length === 0;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, isEmptyBody(key, each) ? [] : withLists(each)]),
  );
}

/** Runs a step, or the steps of a request, that a script sent. */
async function evaluate(value: unknown, { run }: LuaScript): Promise<void> {
  const node = readNode(withLists(value));
  if (node.kind !== 'rpc_request') return run(node);
  for (const step of node.body) await run(step);
}

/** Values, settings and data of the account. */
export const accountFunctions: LuaFunctions = {
  variable: {
    takes: 'label',
    run: (call, { context }) => variableValue(hasArg(call, 'label') ? textOf(call, 'label') : 'parent', context),
  },
  env: {
    takes: 'key value',
    run: async (call, { context: { account, actions } }) => {
      const key = textOf(call, 'key');
      if (hasArg(call, 'value')) await actions.setEnvironment(new Map([[key, wordsOf(call, 'value')]]));
      return ownField(account.environment, key);
    },
  },
  current_month: time((date) => date.getUTCMonth() + 1),
  current_hour: time((date) => date.getUTCHours()),
  current_minute: time((date) => date.getUTCMinutes()),
  get_device: {
    takes: 'field',
    run: async (call, { context: { garden } }) => fieldOf(call, await garden.record('/api/device', 'device')),
  },
  update_device: {
    takes: '{}',
    run: async ({ args }, { context: { api } }) => void (await api.request('PATCH', '/api/device', args)),
  },
  get_fbos_config: { takes: 'field', run: (call, { context }) => fieldOf(call, { ...context.account.configuration }) },
  update_fbos_config: {
    takes: '{}',
    run: ({ args }, { context: { account } }) => account.updateSettings('fbos_config', args),
  },
  get_firmware_config: { takes: 'field', run: (call, { context }) => fieldOf(call, { ...context.account.firmware }) },
  update_firmware_config: {
    takes: '{}',
    run: ({ args }, { context: { account } }) => account.updateSettings('firmware_config', args),
  },
  api: { takes: '{}', run: request },
  auth_token: { takes: '', run: (_call, { context: { api } }) => api.token?.encoded },
  http: { takes: '{}', run: requestElsewhere },
  cs_eval: { takes: 'node', run: ({ args }, script) => evaluate(args.node, script) },
};
