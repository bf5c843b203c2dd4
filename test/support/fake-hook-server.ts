import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adminPassword } from './rabbitmq.ts';

/** A replacement for Potager's hooks: every user may do everything, but `admin` needs its password. */
export class FakeHookServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `port` 0: any free port. */
  static start(port = 0): Promise<FakeHookServer> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      request.on('end', () => {
        const parameters = new URLSearchParams(body);
        const isAdmin = request.url === '/api/rmq/user' && parameters.get('username') === 'admin';
        const isWrong = isAdmin && parameters.get('password') !== adminPassword;
        response.end(isWrong ? 'deny' : isAdmin ? 'allow management administrator' : 'allow');
      });
    });
    return new Promise((resolve) => {
      server.listen(port, '127.0.0.1', () => resolve(new FakeHookServer(server)));
    });
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
