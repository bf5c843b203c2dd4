import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { hostileBodies, hostileIds } from '../../support/hostile-inputs.ts';
import type { RequestOptions } from '../../support/http-client.ts';
import { encodeRemainingLength, packets, RawMqttClient } from '../../support/raw-mqtt-client.ts';
import type { AttackContext } from '../attack-context.ts';
import { metricsToken } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always } from '../attempt.ts';
import { RawConnection, requestHead } from '../raw-connection.ts';

const bodyPaths = ['/api/tokens', '/api/users', '/api/points', '/api/sequences', '/api/point_groups'];

/** Requests that are not valid HTTP, or too large. */
const malformedRequests: readonly string[] = [
  'NONSENSE\r\n\r\n',
  '\x16\x03\x01\0\0\r\n\r\n',
  'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
  'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n',
  `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${'name: value\r\n'.repeat(8000)}\r\n`,
  'POST /api/tokens HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
];

/** Connections of a network that have not signed in. */
const maxPending = 1000;
/** Connections that are opened at the same time; divides the numbers of tries. */
const parallel = 50;

/** Packets before the sign-in that are not MQTT, or too large. */
const malformedPackets: readonly Buffer[] = [
  Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.alloc(10_000),
  packets.publish('bot/device_1/logs', 'x'),
  Buffer.concat([Buffer.from([0x10]), encodeRemainingLength(100_000_000), packets.anonymous.subarray(2)]),
  Buffer.from('100400044d51', 'hex'),
  packets.anonymous,
  packets.connect('device_1', 'no token'),
  packets.connect('device_1', 'x'.repeat(12_000)),
  Buffer.concat([Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff]), Buffer.alloc(100)]),
];

const length = 30_000;
/** Texts on which regular expressions with nested repetitions take quadratic or exponential time. */
const repetitiveTexts = [
  'a'.repeat(length),
  `${'a'.repeat(length)}!`,
  '@'.repeat(length),
  `a@${'a.'.repeat(length / 2)}`,
  ' '.repeat(length),
  `x${' '.repeat(length)}x`,
  '-'.repeat(length),
  'http://'.repeat(length / 7),
  `${','.repeat(length)}a`,
  '\\"'.repeat(length / 2),
];
const repetitivePlaces = 8;
/** How often a text without repetitions is sent, for comparison. */
const samples = 3;

type Send = (method: string, path: string, options: RequestOptions) => Promise<unknown>;

/** Sends a text at every place that is parsed. */
async function sendEverywhere(send: Send, text: string, token: string): Promise<void> {
  const header = text.slice(0, 6000);
  await send('POST', '/api/tokens', { body: { user: { email: text, password: 'x' } } });
  await send('POST', '/api/users', { body: { name: text, email: text, password: text, password_confirmation: text } });
  await send('POST', '/api/farmware_installations', { token, body: { url: text } });
  await send('POST', '/api/logs', { token, body: { message: text, channels: [text], type: text } });
  await send('POST', '/api/points/search', { token, body: { name: text, meta: { [text]: text } } });
  await send('GET', `/api/points?name=${encodeURIComponent(header)}`, { token });
  await send('GET', '/api/device', {
    headers: { authorization: header, 'user-agent': header, accept: header, 'content-type': header, cookie: header },
  });
  await send('GET', '/', { headers: { host: header, 'x-forwarded-host': header, 'accept-language': header } });
}

/** Processor time of the server so far, in ticks of 10 ms; null where the system does not report it. */
function processorTime({ server }: AttackContext): number | null {
  try {
    const fields = readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return null;
  }
}

/** Waits until the broker has closed connections for a reason. */
const waitForCut = ({ server }: AttackContext, reason: string): Promise<void> =>
  expect
    .poll(async () => (await server.send('127.0.0.1', 'GET', '/metrics', { token: `Bearer ${metricsToken}` })).text)
    .toMatch(new RegExp(`broker_cut\\w*\\{reason="${reason}"\\} [1-9]`));

/** Malformed, oversized and slow input. */
export const wireAttempts: readonly Attempt[] = [
  {
    name: 'Send oversized, deep, malformed and misleading bodies and ids',
    property: 'Limits',
    defense: 'a 4xx; never a 5xx',
    tries: always(hostileBodies.length * bodyPaths.length + hostileIds.length),
    async run(context) {
      const { server } = context;
      const { token } = await server.attacker();
      for (const path of bodyPaths) {
        const from = server.newAddress();
        for (const [name, raw] of hostileBodies) {
          const headers = { 'content-type': 'application/json' };
          const { status } = await context.attack(from, 'POST', path, { token, raw, headers });
          expect([name, status < 500]).toEqual([name, true]);
        }
      }
      const from = server.newAddress();
      for (const id of hostileIds)
        expect((await context.attack(from, 'GET', `/api/tools/${id}`, { token })).status).toBeLessThan(500);
    },
  },
  {
    name: 'Send texts on which careless patterns take very long, in every header and field',
    property: 'Limits',
    defense: 'a 4xx, with no more work than for other texts of that length',
    tries: always(repetitiveTexts.length * repetitivePlaces),
    async run(context) {
      const { server } = context;
      const { token } = await server.attacker();
      const before = processorTime(context) ?? 0;
      const word = Array.from({ length: length / 10 }, (_, i) => `word ${i % 1000}.`).join('');
      for (let i = 0; i < samples; i++) {
        const from = server.newAddress();
        await sendEverywhere((...request) => server.send(from, ...request), word, token);
      }
      const between = processorTime(context) ?? 0;
      for (const text of repetitiveTexts) {
        const from = server.newAddress();
        await sendEverywhere((...request) => context.attack(from, ...request), text, token);
      }
      const after = processorTime(context) ?? 0;
      expect([...context.answers.keys()].filter((status) => Number(status) >= 500)).toEqual([]);
      // In ticks of 10 ms, of which a small number is not exact.
      const expected = ((between - before) * repetitiveTexts.length) / samples;
      expect(after - between).toBeLessThanOrEqual(5 * expected + 100);
    },
  },
  {
    name: 'Send malformed HTTP',
    property: 'Limits',
    defense: 'a 4xx, and the connection is closed',
    tries: { short: malformedRequests.length, full: malformedRequests.length * 50 },
    async run(context) {
      const { server, tries } = context;
      for (let i = 0; i < tries; i++) {
        const connection = await RawConnection.open(server.process.port);
        connection.write(malformedRequests[i % malformedRequests.length] ?? '');
        await connection.closed();
        context.record(connection.status ?? 'closed');
      }
      expect([...context.answers.keys()].filter((status) => !/^4\d\d$|^closed$/.test(status))).toEqual([]);
    },
  },
  {
    name: 'Occupy the server with many connections and requests that never end',
    property: 'Limits',
    defense: 'others are served as before; headers have 10 seconds, bodies 30',
    tries: { short: 400, full: 2000 },
    async run(context) {
      const { server, honest, tries } = context;
      const from = server.newAddress();
      const open = requestHead(from, 'POST /api/tokens', { 'content-type': 'application/json', 'content-length': 400 });
      const beginnings = ['', 'G', 'GET /api/tools HTTP/1.1\r\nhost', open, `${open}{"user":`];
      const connections: RawConnection[] = [];
      try {
        for (let i = 0; i < tries; i++) {
          const connection = await RawConnection.open(server.process.port);
          connection.write(beginnings[i % beginnings.length] ?? '');
          connections.push(connection);
        }
        expect(await honest.signIn()).toBe(200);
        for (const connection of connections) {
          if (context.isFull) await connection.closed(60_000);
          context.record(connection.isClosed ? 'closed' : 'held');
        }
      } finally {
        for (const connection of connections) connection.end();
      }
    },
  },
  {
    name: 'Send malformed and oversized MQTT packets before signing in',
    property: 'Message broker: limits',
    defense: 'the connection is closed',
    tries: { short: malformedPackets.length, full: malformedPackets.length * 50 },
    async run(context) {
      const { server, tries } = context;
      for (let i = 0; i < tries; i++) {
        const client = await RawMqttClient.open(server.mqttPort, '127.0.0.3');
        client.send(malformedPackets[i % malformedPackets.length] ?? Buffer.alloc(0));
        await client.waitUntilClosed();
        context.record('connection closed');
      }
    },
  },
  {
    name: 'Keep robots out with MQTT connections that do not sign in',
    property: 'Message broker: limits',
    defense: 'the oldest are closed beyond 1,000 of a network; others after five seconds',
    tries: { short: 1100, full: 3000 },
    async run(context) {
      const { server, honest, tries } = context;
      const clients: RawMqttClient[] = [];
      try {
        // Faster than the connections of which five seconds are over are closed.
        const open = () => RawMqttClient.open(server.mqttPort, '127.0.0.4');
        while (clients.length < tries) clients.push(...(await Promise.all(Array.from({ length: parallel }, open))));
        await waitForCut(context, 'too_many_pending');
        const { bot, token } = honest.account;
        const robot = await RawMqttClient.open(server.mqttPort, '127.0.0.1');
        robot.send(packets.connect(bot, token));
        await robot.waitUntil(() => robot.receivedHex === '20020000', 'the sign-in of a robot');
        robot.end();
        const excess = tries - maxPending;
        for (const client of context.isFull ? clients : clients.slice(0, excess)) await client.waitUntilClosed();
        for (const { isClosed } of clients) context.record(isClosed ? 'connection closed' : 'held');
      } finally {
        for (const client of clients) client.end();
      }
    },
  },
  {
    name: 'Exhaust the memory as a client that does not read its messages',
    property: 'Message broker: limits',
    defense: 'the client is disconnected when its queue is full',
    tries: { short: 20, full: 60 },
    async run(context) {
      const { server, tries } = context;
      const { bot, token } = await server.attacker();
      const reader = await RawMqttClient.open(server.mqttPort, '127.0.0.5');
      reader.send(packets.connect(bot, token), packets.subscribe([`bot/${bot}/status`]));
      await reader.waitUntil(() => reader.receivedHex.startsWith('20020000'), 'the sign-in');
      reader.socket.pause();
      const writer = await RawMqttClient.open(server.mqttPort, '127.0.0.5');
      writer.send(packets.connect(bot, token));
      for (let i = 0; i < tries; i++) {
        writer.send(packets.publish(`bot/${bot}/status`, Buffer.alloc(1024 * 1024, 65)));
        context.record('sent');
        await sleep(1);
      }
      await waitForCut(context, 'queue_full');
      writer.end();
      reader.end();
    },
  },
];
