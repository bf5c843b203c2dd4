import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { numberAt, textAt } from '../../support/json.ts';
import type { AttackContext } from '../attack-context.ts';
import { strangersHost } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, minute } from '../attempt.ts';
import { startVirtualRobot } from '../virtual-robot.ts';

/** Creates further gardens of an account, and returns sessions in them. */
export async function createGardens({ server }: AttackContext, token: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const garden = await server.proxy.post('/api/gardens', { name: `Garden ${i}` }, token);
    const { json } = await server.proxy.send('POST', `/api/gardens/${numberAt(garden.json, 'id')}/token`, { token });
    tokens.push(textAt(json, 'token.encoded'));
  }
  return tokens;
}

/** The number of requests of `http` that a script sends. */
const scriptFetches = 100;

/** A script that computes for six seconds, since others may start later, and fails unless another one computed for a part of them. */
const waitingScript = `
  local start, last, waited = os.clock(), os.clock(), 0
  while last - start < 6 do
    local now = os.clock()
    if now - last > 0.04 then waited = waited + now - last end
    last = now
  end
  assert(waited > 0.6, "It waited for " .. waited .. " s.")`;

/** Attempts of scripts to take the shares of other virtual robots. */
export const fairShareScriptAttempts: readonly Attempt[] = [
  {
    name: 'Compute in several virtual robots at the same time',
    property: 'Virtual robots',
    defense: 'one script computes at a time, in slices of 50 ms',
    tries: always(3),
    async run(context) {
      const { server, tries } = context;
      const accounts = await Promise.all(Array.from({ length: tries }, () => server.createAccount('computing')));
      const robots = await Promise.all(accounts.map((account) => startVirtualRobot(context, account)));
      try {
        const problems = await Promise.all(robots.map((robot) => robot.run(waitingScript)));
        for (const problem of problems) context.record(problem ?? 'shared');
        expect(problems).toEqual(problems.map(() => null));
      } finally {
        await Promise.all(robots.map((robot) => robot.stop()));
      }
    },
  },
  {
    name: "Delay another person's script with scripts that compute endlessly",
    property: 'Virtual robots',
    defense: 'the person who computed least is next',
    tries: { short: 6, full: 12 },
    async run(context) {
      const { server, tries } = context;
      const accounts = await Promise.all(Array.from({ length: tries }, () => server.createAccount('busy')));
      const honest = await startVirtualRobot(context, await server.createAccount('unhurried'));
      const robots = await Promise.all(accounts.map((account) => startVirtualRobot(context, account)));
      try {
        await honest.run('get_position()');
        const busy = robots.map((robot) => robot.run('while true do\nend'));
        await sleep(2_000);
        // On a busy machine the scripts take longer to start.
        for (let tried = 0; tried < 4 && (await honest.run('get_position()')) !== null; tried++) await sleep(1_000);
        const began = performance.now();
        expect(await honest.run('for i = 1, 10 do get_position() end')).toBeNull();
        // In turns of all, each of the 10 calls would wait for every other person.
        expect(performance.now() - began).toBeLessThan(10 * 50 * tries);
        for (const _ of accounts) context.record('overtaken');
        await Promise.race([Promise.all(busy), sleep(100)]);
      } finally {
        await Promise.all([honest, ...robots].map((robot) => robot.stop()));
      }
    },
  },
  {
    name: 'Send more requests to another server from a script than a garden may',
    property: 'Virtual robots',
    defense: '`http` returns nil after 30 within a minute',
    tries: always(scriptFetches),
    async run(context) {
      const { server, tries } = context;
      const account = await server.createAccount('fetching');
      const robot = await startVirtualRobot(context, account);
      try {
        const script = `for i = 1, ${tries} do assert(http{ url = "http://127.0.0.1:1/" .. i } == nil) end`;
        expect(await robot.run(script)).toBeNull();
      } finally {
        await robot.stop();
      }
      const logs = async () => {
        const { json } = await server.proxy.get('/api/logs', account.token);
        return (json as Json[]).map((log) => textAt(log, 'message')).filter((message) => message.startsWith('http: '));
      };
      await expect.poll(logs).toHaveLength(tries);
      for (const message of await logs())
        context.record(message.includes('30 requests per minute') ? 'refused' : 'sent');
      context.expectLimit(context.count('sent'), 30, minute);
    },
  },
];

/** Hostile requests at the same time. */
const wave = 8;

/** Expects that the requests of an honest user take about as long as before while hostile requests are sent, in waves. */
async function expectQuickWhile(
  { server, honest }: AttackContext,
  requests: readonly (() => Promise<void>)[],
): Promise<void> {
  const timeOfRequest = async () => {
    const began = performance.now();
    // Each from a network of its own: a quick machine answers more than one may send.
    const { status } = await server.send(server.newAddress(), 'GET', '/api/device', { token: honest.account.token });
    expect(status).toBe(200);
    return performance.now() - began;
  };
  const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  const before: number[] = [];
  for (let i = 0; i < 20; i++) before.push(await timeOfRequest());
  const waiting = [...requests];
  const client = async () => {
    for (let send = waiting.shift(); send; send = waiting.shift()) await send();
  };
  let isOver = false;
  const attack = Promise.all(Array.from({ length: wave }, client)).finally(() => {
    isOver = true;
  });
  const during: number[] = [];
  while (!isOver) during.push(await timeOfRequest());
  await attack;
  expect(median(during)).toBeLessThan(10 * median(before) + 10);
}

const luaStep = (lua: string): Json => ({ kind: 'lua', args: { lua } });

/** As many as a garden may have. */
const webhooksPerGarden = 10;

/** How long receivers of an attacker take to accept a delivery, in ms. */
const slowResponse = 5_000;

/** Attempts of a person with several gardens to take the shares of others. */
export const fairShareAttempts: readonly Attempt[] = [
  {
    name: 'Take the virtual robots of the server with the gardens of one account',
    property: 'Virtual robots',
    defense: '422 beyond three at a time, also at the same moment',
    tries: { short: 5, full: 21 },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('greedy');
      const tokens = [token, ...(await createGardens(context, token, tries - 1))];
      const put = (own: string, running: boolean) =>
        server.proxy.send('PUT', '/api/virtual_robot', { token: own, body: { running } });
      const running = async () => {
        const states = await Promise.all(tokens.map((own) => server.proxy.get('/api/virtual_robot', own)));
        return states.filter(({ text }) => text.includes('"running":true')).length;
      };
      try {
        const answers = await Promise.all(tokens.map((own) => put(own, true)));
        for (const { status } of answers) context.record(status);
        expect(await running()).toBeLessThanOrEqual(3);
        for (const own of tokens) await put(own, true);
        expect(await running()).toBe(3);
      } finally {
        await Promise.all(tokens.map((own) => put(own, false)));
      }
    },
  },
  {
    name: "Delay others' webhooks with receivers that accept everything slowly, in the gardens of one account",
    property: 'Webhooks',
    defense: 'a person has ten slots at most, and three once the receivers were slow',
    tries: { short: 50, full: 200 },
    async run(context) {
      const { server, honest, tries } = context;
      const greedy = await server.createAccount('slow');
      // Receivers on this machine stand for public addresses.
      expect((await server.process.run(['user', 'admin', greedy.email, 'on'])).code).toBe(0);
      const tokens = [greedy.token, ...(await createGardens(context, greedy.token, tries / webhooksPerGarden - 1))];
      const waiting = new Set<ServerResponse>();
      let delivered = 0;
      let isOver = false;
      const receiver = createServer((request, response) => {
        if (request.url === '/honest') delivered++;
        if (request.url === '/honest' || isOver) return response.writeHead(204).end();
        waiting.add(response);
        return setTimeout(() => waiting.delete(response) && response.writeHead(204).end(), slowResponse);
      });
      await new Promise<void>((resolve) => receiver.listen(0, strangersHost, resolve));
      const url = `http://${strangersHost}:${(receiver.address() as AddressInfo).port}`;
      const hooks: (readonly [token: string, id: number])[] = [];
      const hook = async (token: string, path: string) => {
        const body = { url: url + path, resources: ['Tool'] };
        const { status, json } = await server.proxy.post('/api/webhooks', body, token);
        hooks.push([token, numberAt(json, 'id')]);
        return status;
      };
      const tool = (token: string, name: string) => server.proxy.post('/api/tools', { name }, token);
      try {
        for (const token of tokens)
          for (let i = 0; i < webhooksPerGarden; i++) context.record(await hook(token, `/slow/${i}`));
        await hook(honest.account.token, '/honest');
        for (const token of tokens) await tool(token, 'Slow');
        await expect.poll(() => waiting.size).toBeGreaterThanOrEqual(3);
        for (let i = 1; i <= 3; i++) {
          const began = performance.now();
          await tool(honest.account.token, `Quick ${i}`);
          await expect.poll(() => delivered, { interval: 10, timeout: 30_000 }).toBe(i);
          // It waited for none of the slow ones.
          expect(performance.now() - began).toBeLessThan(slowResponse);
          // Formerly slow ones have their next turn.
          await sleep(1_000);
        }
      } finally {
        isOver = true;
        await Promise.all(hooks.map(([token, id]) => server.proxy.send('DELETE', `/api/webhooks/${id}`, { token })));
        for (const response of waiting) response.writeHead(204).end();
        waiting.clear();
        receiver.closeAllConnections();
        receiver.close();
      }
    },
  },
  {
    name: 'Let the server fetch many photos from another server, and manifests',
    property: 'Virtual robots',
    defense: '429 beyond 60 a minute for a garden',
    tries: always(80),
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('photographing');
      const urls = Array.from({ length: tries }, (_, i) => `http://127.0.0.1:1/direct_upload/${i}`);
      for (const attachment_url of urls.slice(10))
        await context.attack(server.newAddress(), 'POST', '/api/images', { token, body: { attachment_url } });
      for (const url of urls.slice(0, 10))
        await context.attack(server.newAddress(), 'POST', '/api/farmware_installations', { token, body: { url } });
      context.expectOnly(60, minute);
    },
  },
  {
    name: 'Make others wait with programs whose check takes long: huge ones, and Lua with comments that never end',
    property: 'Limits',
    defense: 'too large programs are not parsed; a check takes slices of 3 ms, one program at a time',
    tries: { short: 16, full: 160 },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('checking');
      const lua = (text: string, count: number) => Array.from({ length: count }, () => luaStep(text));
      const programs = [
        lua('--[[\n'.repeat(50_000), 1),
        lua('x = 1\n'.repeat(140_000), 1),
        lua('--[[\n'.repeat(580), 29),
      ];
      const check = async (i: number) => {
        const body = { body: programs[i % programs.length] ?? [] };
        await context.attack(server.newAddress(), 'POST', '/api/sequences/check', { token, body });
      };
      await expectQuickWhile(
        context,
        Array.from({ length: tries }, (_, i) => () => check(i)),
      );
      expect(context.count(200)).toBe(tries);
    },
  },
  {
    name: 'Make others wait with JSON whose objects all have other keys',
    property: 'Limits',
    defense: '422 beyond 1,000 different combinations of keys; slow bodies are parsed with pauses',
    tries: { short: 160, full: 320 },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('parsing');
      // Keys that no request sent before; written in advance, since the honest user is a part of this process.
      const bodies = Array.from({ length: tries }, (_, i) => {
        const object = (_: unknown, key: number) => `{"${(i * 20_000 + key).toString(36)}z":1}`;
        const objects = Array.from({ length: i % 2 === 0 ? 11_000 : 900 }, object);
        return `{"${i % 4 < 2 ? 'body' : 'user'}":[${objects.join()}]}`;
      });
      const headers = { 'content-type': 'application/json' };
      const send = async (raw: string, i: number) => {
        const path = i % 4 < 2 ? '/api/sequences/check' : '/api/tokens';
        const { status, text } = await context.attack(server.newAddress(), 'POST', path, { token, raw, headers });
        if (i % 2 === 0) expect([status, text]).toEqual([422, expect.stringContaining('combinations of keys')]);
      };
      await expectQuickWhile(
        context,
        bodies.map((raw, i) => () => send(raw, i)),
      );
    },
  },
];
