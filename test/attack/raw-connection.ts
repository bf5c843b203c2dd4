import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection to a port of this machine that sends arbitrary bytes. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
    // A reset is treated as a close.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  /** Bytes that the system accepted and the server may not have read. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  write(bytes: string | Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** The status of the first HTTP response, or null. */
  get status(): number | null {
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(this.#received) ?? [];
    return status === undefined ? null : Number(status);
  }

  /** Waits until the server has responded or closed the connection. Throws after `time` ms. */
  async answered(time = 20_000): Promise<void> {
    await this.#waitUntil(() => this.isClosed || this.status !== null, time);
  }

  /** Waits until the server has closed the connection. Throws after `time` ms. */
  async closed(time = 20_000): Promise<void> {
    await this.#waitUntil(() => this.isClosed, time);
  }

  end(): void {
    this.#socket.destroy();
  }

  async #waitUntil(holds: () => boolean, time: number): Promise<void> {
    for (const end = Date.now() + time; !holds(); await sleep(5))
      if (Date.now() > end) throw new Error(`the server keeps a connection open: ${this.#received.slice(0, 200)}`);
  }
}

/** The head of an HTTP request that the proxy forwards for a client. */
export const requestHead = (from: string, line: string, headers: Readonly<Record<string, string | number>>): string =>
  [
    `${line} HTTP/1.1`,
    'host: potager.example',
    `x-forwarded-for: ${from}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

const boundary = 'XX';

/** A form of fields and the beginning of a file, without its end. */
export const uploadBeginning = (fields: Readonly<Record<string, string>>, file: string | Buffer = ''): Buffer =>
  Buffer.concat([
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x.jpg"\r\n\r\n`),
    Buffer.from(file),
  ]);

/** The bytes after the file of a form. */
export const uploadEnd = Buffer.from(`\r\n--${boundary}--\r\n`);

/** The content type of these forms. */
export const uploadType = `multipart/form-data; boundary=${boundary}`;
