import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { textAt } from '../../support/json.ts';
import type { Attempt } from '../attempt.ts';
import { always } from '../attempt.ts';
import { startVirtualRobot } from '../virtual-robot.ts';

/** Things that belong to the owner of a garden, or outlive the session of a robot. */
const ownersThings = (email: string, password: string): readonly (readonly [string, string, Json?])[] => [
  ['POST', '/api/calendar_feed', {}],
  ['DELETE', '/api/calendar_feed'],
  ['PUT', '/api/virtual_robot', { running: true }],
  ['POST', '/api/ai', { context_key: 'lua', prompt: 'Spend the owner’s questions' }],
  ['GET', '/api/tokens'],
  ['POST', '/api/tokens/temporary'],
  ['POST', '/api/personal_tokens', { name: 'For later', scopes: ['account'], password }],
  ['GET', '/api/users'],
  ['PATCH', '/api/users', { name: 'Eve', language: 'French' }],
  ['POST', '/api/export_data'],
  ['POST', '/api/users/control_certificate', { email, password: 'a guess' }],
  ['POST', '/api/device/reset', { password }],
  ['DELETE', '/api/device'],
  ['POST', '/api/invitations', { email: 'eve@example.com', role: 'owner', password }],
  ['POST', '/api/webhooks', { url: 'https://receiver.example/', password }],
  ['GET', '/api/notification_rules'],
  ['POST', '/api/notification_rules', { way: 'ntfy', kinds: ['error'], address: 'https://eve.example/', password }],
  ['PATCH', '/api/notification_settings', { kinds: [] }],
  ['POST', '/api/home_assistant/password', { password }],
];

export const personalAttempts: readonly Attempt[] = [
  {
    name: "Reach data that belong to the owner, or outlive the session, with a robot's session",
    property: 'Rights are declared',
    defense: '403, also with the password; the calendar feed keeps its address',
    tries: always(ownersThings('', '').length),
    async run(context) {
      const { server } = context;
      const owner = await server.createAccount('programmed');
      const author = server.newAddress();
      const made = await server.send(author, 'POST', '/api/calendar_feed', { token: owner.token, body: {} });
      const token = await server.robotToken(owner);
      for (const [method, path, body] of ownersThings(owner.email, owner.password))
        expect((await context.attack(author, method, path, { token, ...(body && { body }) })).status, path).toBe(403);
      const { pathname } = new URL(textAt(made.json, 'url'));
      expect((await server.send(author, 'GET', pathname)).status).toBe(200);
    },
  },
];

/** Scripts whose texts contain bytes that are no text, wherever a text leaves Lua; `\\xff` is read by Lua, `\ud800` by JSON. */
const scriptsWithoutText = [
  'print("\\xff\\xfe")',
  'send_message("info", "\\xff", "toast")',
  'toast("a\\xf8")',
  'error("\\xc3")',
  'error({ "\\xff" })',
  'return "\\xff"',
  'debug(json.encode({ ["\\xff"] = "\\xed\\xa0\\x80" }))',
  'json.decode("\\xff")',
  'api{ url = "/api/\\xff" }',
  'api{ method = "\\xff", url = "/api/tools" }',
  'http{ url = "http://\\xff.example/\\xfe", headers = { ["\\xff"] = "\\xff" } }',
  'variable("\\xff")',
  'env("\\xff", "\\xfe")',
  'local x <close> = setmetatable({}, { __close = function() error("\\xff") end })',
  'setmetatable({}, { __gc = function() error("\\xff") end })',
  '_G["\\xff"]()',
  'load("\\xff", "\\xfe")()',
  'toast("\ud800")',
  '-- \ud800\nx\udfff = 1',
  'local t = {} for i = 1, 1e6 do t[i] = "\\xff" .. i end toast(table.concat(t))',
];

export const personalScriptAttempts: readonly Attempt[] = [
  {
    name: 'Write lines of its own into the log with a script whose bytes are no text',
    property: 'The log',
    defense: 'such bytes become U+FFFD; every line of the log is JSON',
    tries: always(scriptsWithoutText.length),
    async run(context) {
      const { server } = context;
      const robot = await startVirtualRobot(context, await server.createAccount('scripted'));
      for (const script of scriptsWithoutText) context.record((await robot.run(script)) === null ? 'ran' : 'failed');
      await robot.stop();
      const lines = server.process.logs().split('\n').slice(0, -1);
      expect(lines.filter((line) => !/^\{.*\}$/.test(line))).toEqual([]);
      for (const line of lines) JSON.parse(line);
    },
  },
];
