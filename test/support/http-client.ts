import http from 'node:http';
import type { Json } from './json.ts';

/** Options of a request. No User-Agent is sent unless `headers` has one, like the simple clients of robots. */
export interface RequestOptions {
  /** The Authorization header. */
  readonly token?: string;
  /** Lower-case names; they override the client's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Json;
  /** Sent unchanged, without a content type. */
  readonly raw?: string | Buffer;
}

/** A complete response. */
export class HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;

  constructor(status: number, headers: http.IncomingHttpHeaders, bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** The parsed body. Throws with the beginning of the body if it is not JSON. */
  get json(): Json {
    try {
      return JSON.parse(this.text) as Json;
    } catch {
      throw new Error(`not JSON (status ${this.status}): ${this.text.slice(0, 300)}`);
    }
  }
}

/** In ms; only for a server that hangs: a busy machine can take half a minute. */
const timeout = 120_000;

/** A client of one server with keep-alive connections. Paths are sent unchanged: `//` and `/../` reach the server. */
export class HttpClient {
  readonly base: string;
  readonly #agent: http.Agent;
  readonly #host: string;
  readonly #port: number;

  /** `base` is `http://host:port`. */
  constructor(base: string, maximumSockets = 8) {
    const url = new URL(base);
    this.base = base;
    this.#host = url.hostname;
    this.#port = Number(url.port);
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: maximumSockets });
  }

  /** Sends a request. Rejects if the connection fails or there is no response within {@link timeout}. */
  send(method: string, path: string, sending: RequestOptions = {}): Promise<HttpResponse> {
    const headers: Record<string, string | number> = {};
    if (sending.token !== undefined) headers.authorization = sending.token;
    let body = sending.raw;
    if (sending.body !== undefined) {
      body = JSON.stringify(sending.body);
      headers['content-type'] = 'application/json';
    }
    if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
    Object.assign(headers, sending.headers);
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, host: this.#host, port: this.#port, method, path, headers };
      const request = http.request(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve(new HttpResponse(response.statusCode ?? 0, response.headers, Buffer.concat(parts))),
        );
      });
      request.setTimeout(timeout, () => request.destroy(new Error(`no response to ${method} ${path}`)));
      request.on('error', reject);
      request.end(body);
    });
  }

  get(path: string, token?: string): Promise<HttpResponse> {
    return this.send('GET', path, token === undefined ? {} : { token });
  }

  post(path: string, body: Json, token?: string): Promise<HttpResponse> {
    return this.send('POST', path, token === undefined ? { body } : { body, token });
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }
}
