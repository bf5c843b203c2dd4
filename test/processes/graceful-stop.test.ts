import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { type ServerProcess, suiteServer } from '../support/servers.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
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
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'off' });
  const account = (name: string) => signUp({ client: server.client, outbox: null }, name);
  /** Starts the server again, and returns the names of the stored tools. */
  const storedNames = async ({ token }: SignedInAccount): Promise<unknown[]> => {
    await server.start();
    return namesOf((await server.client.get('/api/tools', token)).json);
  };

  it('finishes requests in flight, refuses new ones, and exits with 0', async () => {
    const ada = await account('stop');
    // Browsers keep idle connections open, and open some in advance.
    const silent = connect(server.port, '127.0.0.1');
    sockets.push(silent);
    const closed = new Promise((settle) => silent.on('close', settle).on('error', () => undefined));
    const partial = await begin(server, ada, 'Half');

    server.signal('SIGTERM');
    await expect.poll(() => server.logs()).toContain('stopping');
    await closed;
    await expect(fetch(`${server.base}/api/public_key`)).rejects.toThrow();
    await expect(server.client.get('/api/public_key')).rejects.toThrow();

    partial.finish();
    const text = (await partial.response).replace(continueResponse, '');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"name":"Half"');
    expect(await server.waitForExit()).toBe(0);
    expect(server.logs()).toContain('stopped');
    expect(await storedNames(ada)).toEqual(['Half']);
  });

  it('exits immediately on a second signal, without storing unanswered requests', async () => {
    const ada = await account('twice');
    const partial = await begin(server, ada, 'Never');
    const earlier = server.logs().length;

    server.signal('SIGTERM');
    await expect.poll(() => server.logs().slice(earlier)).toContain('stopping');
    // npm forwards signals that the terminal has sent already; such duplicates within half a second are ignored.
    await sleep(500);
    expect(partial.socket.closed).toBe(false);
    server.signal('SIGTERM');
    // A stop that waits for the request ends with 0.
    expect(await server.waitForExit()).toBe(143);
    expect(await partial.response).toBe(continueResponse);
    expect(await storedNames(ada)).toEqual([]);
  });

  if (engine === 'sqlite') return;
  it('stops while a transaction locks the positions of announcements', async () => {
    const ada = await account('locked');
    const admin = new pg.Client({ connectionString: String(server.env.DATABASE_URL) });
    await admin.connect();
    try {
      await admin.query('begin');
      await admin.query('lock table change_cursors in exclusive mode');
      const { status } = await server.client.post('/api/tools', { name: 'Hoe' }, ada.token);
      expect(status).toBe(200);
      // A stop that times out ends with 1.
      expect(await server.stop()).toBe(0);
      expect(server.logs()).toContain('claims could not be released');
    } finally {
      await admin.end();
    }
    expect(await storedNames(ada)).toEqual(['Hoe']);
  });
});
