import { isObject } from '../../core/json.ts';
import { sayOfRobot } from '../log-messages.ts';
import { hasArg, type RobotNode, StepError, textOf, toPrintable } from '../nodes.ts';
import { type HttpMethod, RobotError } from '../robot-api.ts';
import { firmwareVersion } from '../status.ts';
import { type LuaScript, outcomeOf, Results, type SomeLuaFunctions, tableOf, wordsOf } from './lua-function.ts';

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns a property of the record's own: inherited ones are functions, which cannot be passed to the script. */
const ownField = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : null;

const fieldOf = (call: RobotNode, record: Readonly<Record<string, unknown>>): unknown =>
  hasArg(call, 'field') ? ownField(record, textOf(call, 'field')) : record;

/** Returns the path that is requested for a relative URL: without `..`. */
const pathOf = (url: string): string => new URL(url, 'http://localhost').pathname;

/** Requests of the robot's own server. A rejected one is logged. */
async function request(call: RobotNode, { context: { api, actions } }: LuaScript): Promise<unknown> {
  const { args } = tableOf(call, 'request');
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
  const failed = new Results(null, 'HTTP CLIENT ERROR - See log for details');
  const sent = tableOf(call, 'request');
  // A robot on the command line may run inside a network whose servers scripts must not reach.
  if (!fetch) {
    actions.log('warn', sayOfRobot.noRequests);
    return failed;
  }
  if (String(sent.args.method ?? 'get').toUpperCase() !== 'GET')
    throw new StepError('"http" of a virtual robot supports the method get only.');
  const url = textOf(sent, 'url');
  try {
    return await fetch(url);
  } catch (error) {
    actions.log('error', `http: ${toPrintable(error instanceof Error ? error.message : 'the request failed')}`);
    return failed;
  }
}

/** Changes the device. A mounted tool that does not exist is left out, as on robots. */
async function updateDevice(call: RobotNode, { context: { api, garden, actions } }: LuaScript): Promise<void> {
  const fields: Record<string, unknown> = { ...tableOf(call, 'fields').args };
  const { mounted_tool_id: id } = fields;
  if (id === 0) fields.mounted_tool_id = null;
  else if (id !== undefined && !(await garden.list('tools')).some((tool) => tool.id === id)) {
    actions.log('error', `There is no tool ${toPrintable(String(id), 60)}.`);
    delete fields.mounted_tool_id;
  }
  await api.request('PATCH', '/api/device', fields);
}

const updateSettings =
  (name: 'fbos_config' | 'firmware_config') =>
  (call: RobotNode, script: LuaScript): Promise<unknown> =>
    outcomeOf(() => script.context.account.updateSettings(name, tableOf(call, 'fields').args), script);

/** Returns the part of a state at a path; null if there is none. */
const partOf = (state: unknown, path: readonly unknown[]): unknown =>
  path.reduce((part, name) => (isObject(part) ? ownField(part, String(name)) : null), state);

/** Settings, state and data of the account. */
export const accountFunctions = {
  env: async (call, { context: { account, actions } }) => {
    const name = textOf(call, 'name');
    if (!hasArg(call, 'value')) return ownField(account.environment, name);
    const value = wordsOf(call, 'value');
    await actions.setEnvironment(new Map([[name, value]]));
    return value;
  },
  get_device: async (call, { context: { garden } }) => fieldOf(call, await garden.record('/api/device', 'device')),
  get_fbos_config: (call, { context }) => fieldOf(call, { ...context.account.configuration }),
  get_firmware_config: (call, { context }) => fieldOf(call, { ...context.account.firmware }),
  update_device: (call, script) => outcomeOf(() => updateDevice(call, script), script),
  update_fbos_config: updateSettings('fbos_config'),
  update_firmware_config: updateSettings('firmware_config'),
  read_status: ({ args }, { context }) => partOf(context.state(), Array.isArray(args.path) ? args.path.flat() : []),
  fbos_version: (_call, { context }) => context.state().informational_settings.controller_version,
  firmware_version: () => firmwareVersion,
  is_demo: () => false,
  auth_token: (_call, { context: { api } }) => api.token?.encoded,
  api: request,
  http: requestElsewhere,
} satisfies SomeLuaFunctions;
