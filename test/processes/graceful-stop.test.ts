import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { type ServerProcess, startServer } from '../support/servers.ts';

let server: ServerProcess | null = null;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.remove();
  server = null;
});

/** A request of which only the beginning is sent. */
interface PartialRequest {
  readonly socket: Socket;
  /** Everything received until the server closes the connection. */
  readonly response: Promise<string>;
  finish(): void;
}

const continueResponse = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Sends a request for a new tool up to the middle of its body, and waits until the server processes it. */
async function begin(running: ServerProcess, { token }: SignedInAccount, name: string): Promise<PartialRequest> {
  const body = JSON.stringify({ name });
  const socket = connect(running.port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('utf8');
  let text = '';
  const response = new Promise<string>((settle) => {
    socket.on('data', (part: string) => {
      text += part;
    });
    // A reset connection closes, too.
    socket.on('error', () => undefined);
    socket.on('close', () => settle(text));
  });
  const length = Buffer.byteLength(body);
  const head = `POST /api/tools HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\ncontent-length: ${length}`;
  socket.write(`${head}\r\nexpect: 100-continue\r\n\r\n${body.slice(0, 5)}`);
  await expect.poll(() => text).toBe(continueResponse);
  return { socket, response: response, finish: () => socket.write(body.slice(5)) };
}

const namesOf = (tools: unknown): unknown[] => (Array.isArray(tools) ? tools.map(({ name }) => name) : []);

describeEngines('a server that receives SIGTERM', (engine) => {
  it('finishes requests in flight, refuses new ones, and exits with 0', async () => {
    const running = await startServer(engine, { EMAIL_VERIFICATION: 'off' });
    server = running;
    const account = await signUp({ client: running.client, outbox: null }, 'stop');
    // Browsers keep idle connections open, and open some in advance.
    const silent = connect(running.port, '127.0.0.1');
    sockets.push(silent);
    const closed = new Promise((settle) => silent.on('close', settle).on('error', () => undefined));
    const partial = await begin(running, account, 'Half');

    running.signal('SIGTERM');
    await expect.poll(() => running.logs()).toContain('stopping');
    await closed;
    await expect(fetch(`${running.base}/api/public_key`)).rejects.toThrow();
    await expect(running.client.get('/api/public_key')).rejects.toThrow();

    partial.finish();
    const text = (await partial.response).replace(continueResponse, '');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"name":"Half"');
    expect(await running.waitForExit()).toBe(0);
    expect(running.logs()).toContain('stopped');

    await running.start();
    expect(namesOf((await running.client.get('/api/tools', account.token)).json)).toEqual(['Half']);
  });

  it('exits immediately on a second signal, without storing unanswered requests', async () => {
    const running = await startServer(engine, { EMAIL_VERIFICATION: 'off' });
    server = running;
    const account = await signUp({ client: running.client, outbox: null }, 'twice');
    const partial = await begin(running, account, 'Never');

    running.signal('SIGTERM');
    await expect.poll(() => running.logs()).toContain('stopping');
    // npm forwards signals that the terminal has sent already; such duplicates within half a second are ignored.
    await sleep(500);
    expect(partial.socket.closed).toBe(false);
    running.signal('SIGTERM');
    // A stop that waits for the request ends with 0.
    expect(await running.waitForExit()).toBe(143);
    expect(await partial.response).toBe(continueResponse);

    await running.start();
    expect(namesOf((await running.client.get('/api/tools', account.token)).json)).toEqual([]);
  });
});

it('SIGINT stops the server too', async () => {
  server = await startServer('sqlite');
  server.signal('SIGINT');
  expect(await server.waitForExit()).toBe(0);
});

it('stops while a transaction locks the positions of announcements', async () => {
  server = await startServer('postgres', { EMAIL_VERIFICATION: 'off' });
  const account = await signUp({ client: server.client, outbox: null }, 'locked');
  const admin = new pg.Client({ connectionString: String(server.env.DATABASE_URL) });
  await admin.connect();
  try {
    await admin.query('begin');
    await admin.query('lock table change_cursors in exclusive mode');
    const { status } = await server.client.post('/api/tools', { name: 'Hoe' }, account.token);
    expect(status).toBe(200);
    // A stop that times out ends with 1.
    expect(await server.stop()).toBe(0);
    expect(server.logs()).toContain('claims could not be released');
  } finally {
    await admin.end();
  }
  await server.start();
  expect(namesOf((await server.client.get('/api/tools', account.token)).json)).toEqual(['Hoe']);
});
