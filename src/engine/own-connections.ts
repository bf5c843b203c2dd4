import type { IncomingMessage, Server } from 'node:http';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { duplexPair } from 'node:stream';

/** A virtual robot of this process, as a client of its HTTP server. */
export interface OwnClient {
  readonly deviceId: number;
  /** Whether its requests count; not before its first synchronization is complete. [rule H10] */
  isCounted: boolean;
}

export interface OwnRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly signal: AbortSignal;
}

export interface OwnResponse {
  readonly status: number;
  readonly text: string;
  /** It is longer than {@link maxOwnResponse}, and the rest was not read. */
  readonly isTruncated: boolean;
}

/** Bytes of a response that are read: twice as many as the answers of a batch have. */
export const maxOwnResponse = 16 * 1024 * 1024;

/**
 * Connections of virtual robots in this process to its HTTP server. They have no socket, so that the server knows a robot by its
 * connection: whatever a script sends, it is no program on this machine. [ADR 93]
 */
export class OwnConnections {
  readonly #clients = new WeakMap<object, OwnClient>();
  #server: Server | null = null;

  /** Sets the server that requests are sent to. */
  attach(server: Server): void {
    this.#server = server;
  }

  /** Returns the virtual robot that opened a connection; undefined for others. */
  clientOf(connection: object): OwnClient | undefined {
    return this.#clients.get(connection);
  }

  /** Sends a request of a virtual robot. The URL's host is only sent as the header. Rejects if there is no complete response. */
  async send(client: OwnClient, url: string, { method, headers, body, signal }: OwnRequest): Promise<OwnResponse> {
    const { host, pathname, search } = new URL(url);
    // Encodes forms.
    const encoded = new Response(body ?? null);
    const type = body instanceof FormData ? encoded.headers.get('content-type') : null;
    const bytes = Buffer.from(await encoded.arrayBuffer());
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({
        method,
        path: `${pathname}${search}`,
        headers: { ...headers, host, ...(type !== null && { 'content-type': type }), 'content-length': bytes.length },
        createConnection: () => this.#connect(client),
        signal,
      })
        .on('response', resolve)
        .on('error', reject)
        .end(bytes);
    });
    const chunks: Buffer[] = [];
    let size = 0;
    // Leaving the loop early closes the connection.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOwnResponse) break;
    }
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode ?? 0, text, isTruncated: size > maxOwnResponse };
  }

  #connect(client: OwnClient): Duplex {
    if (!this.#server) throw new Error('the HTTP server was not created');
    const [own, theirs] = duplexPair();
    // Of a socket, the other end would be closed by the system.
    own.once('close', () => theirs.destroy());
    theirs.once('close', () => own.destroy());
    this.#clients.set(theirs, client);
    this.#server.emit('connection', theirs);
    return own;
  }
}
