import http from 'node:http';
import type { Json } from './json.ts';

/** What goes with a request. No User-Agent is sent unless `headers` has one, as robots' simple clients do. */
export interface RequestOptions {
  /** Put into the Authorization header as it is. */
  readonly token?: string;
  /** Lower-case names; they win over what the client would send. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Json;
  /** Sent as it is, without a content type. */
  readonly raw?: string | Buffer;
}

/** A reply that arrived completely. */
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

  /** The decoded body. Throws with the body's beginning when it is not JSON. */
  get json(): Json {
    try {
      return JSON.parse(this.text) as Json;
    } catch {
      throw new Error(`not JSON (status ${this.status}): ${this.text.slice(0, 300)}`);
    }
  }
}

const patience = 20_000;

/** Speaks to one server over connections that stay open. Paths are sent byte for byte: `//` and `/../` reach the server. */
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

  /** Rejects when the connection breaks or no answer comes in 20 s. */
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
      request.setTimeout(patience, () => request.destroy(new Error(`no answer to ${method} ${path}`)));
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

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy();
  }
}
