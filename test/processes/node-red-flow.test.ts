import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import util from 'node:util';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { EventReader } from '../support/event-reader.ts';
import type { Json } from '../support/json.ts';
import { textAt } from '../support/json.ts';
import { anyPort, suiteServer } from '../support/servers.ts';

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly z?: string;
  readonly name?: string;
  readonly wires?: readonly (readonly string[])[];
  readonly func: string;
  readonly initialize: string;
  readonly finalize: string;
  readonly libs: readonly { readonly var: string; readonly module: string }[];
  readonly payload: string;
  readonly url: string;
}
// biome-ignore lint/suspicious/noExplicitAny: messages of a flow have any shape
type Message = any;

const text = readFileSync('docs/recipes/node-red.json', 'utf8');
const nodes: readonly FlowNode[] = JSON.parse(text);

/** The flow in a small Node-RED: what its nodes do there, with the names that Node-RED 4.1 gives to function nodes. */
class Flow {
  /** What the debug nodes got, by their names. */
  readonly seen = new Map<string, Message[]>();
  readonly states: Message[] = [];
  readonly #functions = new Map<string, (msg: Message) => Promise<unknown>>();
  readonly #ends: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));

  /** Returns the address that receives requests. */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(env: Readonly<Record<string, string>>): Promise<void> {
    for (const node of nodes.filter(({ type }) => type === 'function')) await this.#prepare(node, env);
  }

  stop(): void {
    for (const end of this.#ends) end();
    this.#server.close();
  }

  /** Presses the button of a node. */
  inject(name: string): void {
    const node = nodes.find((each) => each.name === name) ?? expect.unreachable(name);
    this.#send(node, { payload: JSON.parse(node.payload) });
  }

  async #prepare(node: FlowNode, env: Readonly<Record<string, string>>): Promise<void> {
    const context = new Map<string, unknown>();
    const timers = new Set<NodeJS.Timeout>();
    const sandbox: Record<string, unknown> = {
      ...{ console, util, Buffer, URL, URLSearchParams, Date, clearTimeout },
      env: { get: (name: string) => env[name] },
      context: {
        get: (name: string) => context.get(name),
        set: (name: string, value: unknown) => context.set(name, value),
      },
      setTimeout: (action: () => void, ms: number) => timers.add(setTimeout(action, Math.min(ms, 100))),
      node: {
        send: (sent: unknown) => this.#send(node, sent),
        status: (state: Message) => this.states.push(state),
        error: (error: unknown) => expect.unreachable(String(error)),
      },
    };
    for (const { var: name, module } of node.libs) sandbox[name] = (await import(module)).default;
    vm.createContext(sandbox);
    const call = (code: string) => vm.runInContext(`(async function (msg) {\n${code}\n})`, sandbox);
    this.#functions.set(node.id, call(node.func));
    this.#ends.push(() => {
      for (const timer of timers) clearTimeout(timer);
      void call(node.finalize)();
    });
    await call(node.initialize)();
  }

  /** Sends a message, or a list with one for each output, to the wires of a node. */
  #send({ wires = [] }: FlowNode, sent: unknown): void {
    for (const [output, msg] of (Array.isArray(sent) ? sent : [sent]).entries())
      if (msg) for (const id of wires[output] ?? []) void this.#deliver(id, { ...msg });
  }

  async #deliver(id: string, msg: Message): Promise<void> {
    const node = nodes.find((each) => each.id === id) ?? expect.unreachable(id);
    const { name = '' } = node;
    if (node.type === 'function') this.#send(node, await this.#functions.get(id)?.(msg));
    else if (node.type === 'debug') this.seen.set(name, [...(this.seen.get(name) ?? []), msg]);
    else if (node.type === 'http response') msg.res.writeHead(msg.statusCode).end(msg.payload);
    else if (node.type === 'http request') {
      const { method, headers, payload } = msg;
      const response = await fetch(msg.url, { method, headers, body: JSON.stringify(payload) });
      this.#send(node, { ...msg, payload: await response.json(), statusCode: response.status });
    } else expect.unreachable(node.type);
  }

  async #receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const node = nodes.find(({ type, url }) => type === 'http in' && url === req.url) ?? expect.unreachable(req.url);
    this.#send(node, { req, res, payload: await buffer(req) });
  }
}

describe('the flow of Node-RED', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', FETCH_ALLOW: '127.0.0.1', MQTT_PORT: anyPort });
  const flow = new Flow();
  let ada: SignedInAccount;
  let proxy: CuttableProxy;
  let address: string;
  let variables: Record<string, string>;

  async function send(method: string, path: string, body?: Json): Promise<Json> {
    const response = await server.client.send(method, path, { token: ada.token, ...(body !== undefined && { body }) });
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response.json;
  }
  const read = (value: number, x: number) =>
    send('POST', '/api/sensor_readings', { pin: 59, mode: 1, value, x, y: 600, z: 0 });
  const readings = () => (flow.seen.get('reading') ?? []).map(({ payload }) => payload.record.value);

  beforeAll(async () => {
    ada = await signUp({ client: server.client, outbox: null }, 'ada');
    const speeds = ['x', 'y', 'z', 'z2'].map((axis) => [`movement_max_spd_${axis}`, 30_000]);
    await send('PATCH', '/api/firmware_config', Object.fromEntries(speeds));
    await send('PATCH', '/api/fbos_config', { soil_height: -20 });
    await send('PUT', '/api/virtual_robot', { running: true });
    const scopes = { name: 'Node-RED', scopes: ['read', 'control'] };
    const token = textAt(await send('POST', '/api/personal_tokens', scopes), 'token');
    address = await flow.listen();
    const webhook = { url: `${address}/potager`, resources: ['Tool'] };
    const secret = textAt(await send('POST', '/api/webhooks', webhook), 'secret');
    proxy = await startCuttableProxy('127.0.0.1', server.port);
    const api = `http://127.0.0.1:${proxy.port}/api`;
    variables = { POTAGER_API: api, POTAGER_TOKEN: token };
    await flow.start({ ...variables, POTAGER_SECRET: secret });
    await vi.waitFor(() => expect(flow.states).toContainEqual({ fill: 'green', shape: 'dot', text: 'connected' }), {
      timeout: 60_000,
    });
  });
  afterAll(async () => {
    flow.stop();
    await proxy.close();
  });

  it('consists of nodes that Node-RED brings along, and contains no secret', () => {
    const types = ['tab', 'comment', 'function', 'debug', 'inject', 'http request', 'http in', 'http response'];
    expect(nodes.filter(({ type }) => !types.includes(type))).toEqual([]);
    const ids = nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { wires = [] } of nodes) for (const id of wires.flat()) expect(ids).toContain(id);
    expect(text).not.toMatch(/pot_|whsec_\w/);
  });

  it('waters where a reading was dry, and nowhere else', async () => {
    const stream = await EventReader.open(`${server.base}/api/events?resources=Tool&live=status`, ada.token);
    await read(700, 900);
    await read(399, 1000);
    await send('POST', '/api/sensor_readings', { pin: 60, mode: 1, value: 0, x: 1100, y: 600, z: 0 });
    await expect
      .poll(() => flow.seen.get('answer')?.map(({ payload }) => payload))
      .toEqual([{ status: 'ok', explanation: null }]);
    const valves = () => stream.events.map(({ data }) => data.pins?.['8']?.value);
    await expect.poll(() => [valves().includes(1), valves().at(-1)]).toEqual([true, 0]);
    stream.close();
    const open = stream.events.filter((_, index) => valves()[index] === 1);
    expect(new Set(open.map(({ data }) => data.location_data.position.x))).toEqual(new Set([1000]));
    expect(readings()).toEqual([700, 399, 0]);
  });

  it('waters where values are high if these mean dry soil', () => {
    const { func } = nodes.find(({ name }) => name === 'Is it dry?') ?? expect.unreachable('no such node');
    const other = func.replace('HIGH_IS_WET = true', 'HIGH_IS_WET = false');
    const isDry = (code: string, value: number) =>
      vm.compileFunction(code, ['msg'])({ payload: { action: 'created', record: { pin: 59, value, x: 0, y: 0 } } }) !==
      null;
    expect([399, 400, 401].map((value) => isDry(func, value))).toEqual([true, false, false]);
    expect([399, 400, 401].map((value) => isDry(other, value))).toEqual([false, false, true]);
  });

  it('continues after the last event when the connection was lost', async () => {
    const before = readings().length;
    proxy.isDown = true;
    proxy.cut();
    await expect.poll(() => flow.states.at(-1)).toMatchObject({ fill: 'red' });
    await read(701, 900);
    proxy.isDown = false;
    await expect.poll(() => flow.states.at(-1)).toMatchObject({ text: 'connected' });
    await read(702, 900);
    await expect.poll(() => readings().slice(before)).toEqual([701, 702]);
  });

  it('sends a command when its button is pressed', async () => {
    const before = flow.seen.get('answer')?.length ?? 0;
    flow.inject('Take a photo');
    await expect
      .poll(() =>
        flow.seen
          .get('answer')
          ?.slice(before)
          .map(({ payload }) => payload.status),
      )
      .toEqual(['ok']);
    expect(await send('GET', '/api/images')).toHaveLength(1);
  });

  it('takes signed webhooks, and refuses others', async () => {
    await send('POST', '/api/tools', { name: 'Rake' });
    await expect.poll(() => flow.seen.get('webhook')).toHaveLength(1);
    expect(flow.seen.get('webhook')?.[0]).toMatchObject({
      topic: 'Tool.created',
      payload: { record: { name: 'Rake' } },
    });
    await expect.poll(() => send('GET', '/api/webhooks/1/deliveries')).toMatchObject([{ response_status: 204 }]);
    const headers = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
    for (const signature of [{}, { 'webhook-signature': 'v1,AAAA' }]) {
      const forged = {
        method: 'POST',
        headers: { ...headers, ...signature },
        body: '{"type":"Tool.created","data":{}}',
      };
      expect((await fetch(`${address}/potager`, forged)).status).toBe(401);
    }
    expect(flow.seen.get('webhook')).toHaveLength(1);
    expect(flow.states.at(-1)?.text).toBe('refused: not signed by this webhook');
  });

  it('says which variable a webhook needs', async () => {
    const unset = new Flow();
    const webhook = await unset.listen();
    await unset.start(variables);
    expect((await fetch(`${webhook}/potager`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(unset.states).toContainEqual(expect.objectContaining({ text: 'set POTAGER_SECRET, and restart' }));
    unset.stop();
  });
});
