import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** A request that changed something. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A server with records by path, for tests of the robot without a whole server. */
export class FakeAccount {
  readonly records = new Map<string, object>();
  /** The paths of GET requests. */
  requested: string[] = [];
  changes: Change[] = [];
  readonly #server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { method = 'GET', url: path = '' } = request;
      const body: unknown = text === '' ? null : JSON.parse(text);
      const known = this.records.get(path);
      if (method === 'GET') this.requested.push(path);
      else this.changes.push({ method, path, body });
      const found = method === 'GET' ? known : { ...known, ...(body as object) };
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? { error: 'Not found.' }));
    });
  });

  /** `http://host:port`. */
  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  clear(): void {
    this.records.clear();
    this.requested = [];
    this.changes = [];
  }
}

/** A fake account for all tests of the suite, empty before each. */
export function suiteFakeAccount(): FakeAccount {
  const account = new FakeAccount();
  beforeAll(() => account.listen());
  beforeEach(() => account.clear());
  afterAll(() => account.close());
  return account;
}
