import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { at } from '../../support/json.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedAccount } from '../attacked-server.ts';
import { brokerPassword } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, minute } from '../attempt.ts';
import { startVirtualRobot } from '../virtual-robot.ts';

type ScriptRequest = readonly [method: string, path: string, body?: { readonly [name: string]: Json }];

/** Returns a value as Lua. */
function luaOf(value: Json): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'nil' : JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `[${JSON.stringify(name)}] = ${luaOf(each)}`)
    .join(', ')}}`;
}

const apiCall = ([method, path, body]: ScriptRequest): string =>
  `api(${luaOf({ method, url: path, ...(body && { body }) })})`;

/** Sends requests from a script of the account's virtual robot, and expects that each is refused, as the robot logs. */
async function expectRefused(
  context: AttackContext,
  account: Pick<AttackedAccount, 'token'>,
  requests: readonly ScriptRequest[],
): Promise<void> {
  const { proxy } = context.server;
  const robot = await startVirtualRobot(context, account);
  await proxy.send('DELETE', '/api/logs/all', { token: account.token });
  for (const request of requests) {
    const result = await robot.run(`if ${apiCall(request)} ~= nil then error("answered") end`);
    expect([request, result]).toEqual([request, null]);
    context.record('refused');
  }
  const refused = async () => {
    const { json } = await proxy.get('/api/logs', account.token);
    const messages = (json as Json[]).map((log) => String(at(log, 'message')));
    const sentence = ': A virtual robot cannot do this.';
    return messages.filter((message) => message.endsWith(sentence)).map((message) => message.split(':')[0]);
  };
  // Logs that contain the word “password” are not stored, as in the sentence for requests that need a session.
  const expected = requests
    .filter(([, path]) => !/password|^\/api\/(?:invitations|tokens\/temporary)$/.test(path))
    .map(([method, path]) => `${method.toUpperCase()} ${path}`)
    .toSorted();
  await expect.poll(async () => (await refused()).toSorted()).toEqual(expected);
  await robot.stop();
}

const email = 'robot-victim@example.com';
const passwords = { password: 'a new password', password_confirmation: 'a new password' };

/** Routes that are for people, clients without an account, and brokers. */
const forbidden: readonly ScriptRequest[] = [
  ['post', '/api/users', { user: { name: 'Robot', email: 'by-robot@example.com', ...passwords } }],
  ['post', '/api/users/resend_verification', { email }],
  ['post', '/api/verification_mails', { email }],
  ['post', '/api/password_resets', { email }],
  ['patch', '/api/password_resets', { id: 'a token', ...passwords }],
  ['post', '/api/invitations/show', { token: 'a token' }],
  ['post', '/api/invitations/decline', { token: 'a token' }],
  ['post', '/api/invitations', { email, role: 'viewer' }],
  ['post', '/api/demo_account', { secret: 'a secret', product_line: 'none' }],
  ['post', '/api/demo_gardens', { product_line: 'none' }],
  ['post', '/api/tokens/temporary'],
  ['post', '/api/rmq/user', { username: 'admin', password: brokerPassword }],
  ['post', '/api/rmq/user', { username: 'admin', password: 'another' }],
  ['post', '/api/rmq/vhost', { username: 'admin', vhost: '/' }],
  ['post', '/api/rmq/topic', { username: 'device_1', routing_key: 'bot.device_2.logs', permission: 'write' }],
];

/** Attempts of scripts of a virtual robot in the server. */
export const virtualRobotAttempts: readonly Attempt[] = [
  {
    name: "Guess another account's password with `api{}`, the right one among the guesses",
    property: 'Virtual robots',
    defense: '403: no virtual robot signs in',
    tries: { short: 12, full: 61 },
    async run(context) {
      const { server, tries } = context;
      const victim = await server.createAccount('guessed');
      const guesses = Array.from({ length: tries }, (_, index): ScriptRequest => {
        const password = index === tries - 1 ? victim.password : `guess ${index}`;
        return ['post', '/api/tokens', { user: { email: victim.email, password } }];
      });
      await expectRefused(context, await server.createAccount('guesser'), guesses);
      // Nothing was counted against the owner.
      expect((await server.signIn(server.newAddress(), victim.email, victim.password)).status).toBe(200);
    },
  },
  {
    name: 'Sign up, have mails sent, invite, make demo accounts, and call the hooks for RabbitMQ with `api{}`',
    property: 'Virtual robots',
    defense: '403, also in the garden of a visitor; no mail, and no account',
    tries: always(2 * forbidden.length),
    async run(context) {
      const { server } = context;
      await expectRefused(context, await server.createAccount('insider'), forbidden);
      await expectRefused(context, { token: await server.createDemoAccount() }, forbidden);
      expect((await server.signIn(server.newAddress(), 'by-robot@example.com', passwords.password)).status).toBe(422);
      for (const address of [email, 'by-robot@example.com'])
        expect(await server.process.outbox.mailsTo(address)).toEqual([]);
    },
  },
  {
    name: 'Flood the server with requests of `api{}`',
    property: 'Virtual robots',
    defense: '429 beyond the 1,000 requests of a network; another garden is not affected',
    tries: { short: 1100, full: 1500 },
    async run(context) {
      const { server, tries } = context;
      const robot = await startVirtualRobot(context, await server.createAccount('flooding'));
      const batch = 100;
      let passed = 0;
      for (let sent = 0; sent < tries; sent += batch) {
        const result = await robot.run(`
          local passed = 0
          for i = 1, ${batch} do if api{ url = "/api/tools" } ~= nil then passed = passed + 1 end end
          error("passed " .. passed)`);
        passed += Number(/passed (\d+)/.exec(result ?? '')?.[1] ?? Number.NaN);
      }
      for (let i = 0; i < tries; i++) context.record(i < passed ? 200 : 429);
      // The robot itself sends a few of them.
      context.expectAtMost(passed, 1000, minute);
      expect(passed).toBeGreaterThan(900);
      const other = await startVirtualRobot(context, await server.createAccount('calm'));
      expect(await other.run('assert(api{ url = "/api/tools" } ~= nil)')).toBeNull();
      await Promise.all([robot.stop(), other.stop()]);
    },
  },
];
