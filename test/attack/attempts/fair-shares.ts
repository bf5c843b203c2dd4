import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { numberAt, textAt } from '../../support/json.ts';
import type { AttackContext } from '../attack-context.ts';
import type { Attempt } from '../attempt.ts';
import { always, minute } from '../attempt.ts';
import { startVirtualRobot } from '../virtual-robot.ts';

/** Creates further gardens of an account, and returns sessions in them. */
async function createGardens({ server }: AttackContext, token: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const garden = await server.proxy.post('/api/gardens', { name: `Garden ${i}` }, token);
    const { json } = await server.proxy.send('POST', `/api/gardens/${numberAt(garden.json, 'id')}/token`, { token });
    tokens.push(textAt(json, 'token.encoded'));
  }
  return tokens;
}

/** How many requests of `http` a script sends. */
const scriptFetches = 100;

/** A script that computes for two seconds, and fails unless another one computed for a part of them. */
const waitingScript = `
  local start, last, waited = os.clock(), os.clock(), 0
  while last - start < 2 do
    local now = os.clock()
    if now - last > 0.04 then waited = waited + now - last end
    last = now
  end
  assert(waited > 0.6, "It waited for " .. waited .. " s.")`;

/** What scripts try to take of what all virtual robots share. */
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
      await expect.poll(logs, { timeout: 5_000 }).toHaveLength(tries);
      for (const message of await logs())
        context.record(message.includes('30 requests per minute') ? 'refused' : 'sent');
      context.expectLimit(context.count('sent'), 30, minute);
    },
  },
];

/** What a person with several gardens tries to take of what all share. */
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
];
