import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from './support/accounts.ts';
import { describeEngines } from './support/engines.ts';
import { type ServerProcess, startServer } from './support/servers.ts';

let server: ServerProcess | null = null;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.remove();
  server = null;
});

/** A request of which only the beginning was sent. */
interface Begun {
  readonly socket: Socket;
  /** All that came, once the server has closed the connection. */
  readonly answer: Promise<string>;
  finish(): void;
}

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Sends a request for a new tool up to the middle of its body, and waits until the server has begun with it. */
async function begin(running: ServerProcess, { token }: SignedInAccount, name: string): Promise<Begun> {
  const body = JSON.stringify({ name });
  const socket = connect(running.port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('utf8');
  let text = '';
  const answer = new Promise<string>((settle) => {
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
  await expect.poll(() => text).toBe(goOn);
  return { socket, answer, finish: () => socket.write(body.slice(5)) };
}

const namesOf = (tools: unknown): unknown[] => (Array.isArray(tools) ? tools.map(({ name }) => name) : []);

describeEngines('asked to stop', (engine) => {
  it('it finishes what it began, takes nothing new, and ends with 0', { timeout: 40_000 }, async () => {
    const running = await startServer(engine, { EMAIL_VERIFICATION: 'off' });
    server = running;
    const account = await signUp({ client: running.client, outbox: null }, 'stop');
    // Browsers keep connections open between their requests, and open some to have them.
    const silent = connect(running.port, '127.0.0.1');
    sockets.push(silent);
    const closed = new Promise((settle) => silent.on('close', settle).on('error', () => undefined));
    const begun = await begin(running, account, 'Half');

    running.signal('SIGTERM');
    await expect.poll(() => running.logs()).toContain('stopping');
    await closed;
    await expect(fetch(`${running.base}/api/public_key`)).rejects.toThrow();
    await expect(running.client.get('/api/public_key')).rejects.toThrow();

    begun.finish();
    const text = (await begun.answer).replace(goOn, '');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"name":"Half"');
    expect(await running.waitForExit()).toBe(0);
    expect(running.logs()).toContain('stopped');

    await running.start();
    expect(namesOf((await running.client.get('/api/tools', account.token)).json)).toEqual(['Half']);
  });

  it('a second time it ends at once, and what was not answered is not there', { timeout: 40_000 }, async () => {
    const running = await startServer(engine, { EMAIL_VERIFICATION: 'off' });
    server = running;
    const account = await signUp({ client: running.client, outbox: null }, 'twice');
    const begun = await begin(running, account, 'Never');

    running.signal('SIGTERM');
    await expect.poll(() => running.logs()).toContain('stopping');
    // Half a second: npm passes on signals that the terminal has sent already, and such echoes do not count.
    await sleep(500);
    expect(begun.socket.closed).toBe(false);
    running.signal('SIGTERM');
    // A stop that waits for the request ends with 0.
    expect(await running.waitForExit()).toBe(143);
    expect(await begun.answer).toBe(goOn);

    await running.start();
    expect(namesOf((await running.client.get('/api/tools', account.token)).json)).toEqual([]);
  });
});

it('Ctrl+C stops it, too', { timeout: 30_000 }, async () => {
  server = await startServer('sqlite');
  server.signal('SIGINT');
  expect(await server.waitForExit()).toBe(0);
});
