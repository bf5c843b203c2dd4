import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the model's server. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { model?: string; stream: boolean; messages: { role: string; content: string }[] };
}

type Respond = (response: ServerResponse, request: IncomingMessage) => Promise<void> | void;

/** An HTTP server instead of a language model. Tests define its responses. */
export class StandInModel {
  readonly requests: ModelRequest[] = [];
  /** Number of requests whose connection was closed before the response was complete. */
  abandoned = 0;
  respond: Respond = (response) => sendText(response, ['Hello']);
  readonly #server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
    this.requests.push({ path: request.url ?? '', headers: request.headers, body });
    response.on('close', () => {
      if (!response.writableFinished) this.abandoned++;
    });
    await this.respond(response, request);
  });

  /** Returns the base URL, `http://127.0.0.1:port/v1`. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Returns an event with a piece of text. */
export const piece = (text: string): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

export const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
export const done = 'data: [DONE]\n\n';

/** Starts a response of events. */
export const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Sends a complete response with pieces of text. */
export function sendText(response: ServerResponse, texts: readonly string[]): void {
  begin(response).end(`${texts.map(piece).join('')}${finish}${done}`);
}

/** Sends bytes in separate packets. */
export async function sendInPackets(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
