import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { suiteFixture } from './suite-fixture.ts';

/** A request to a receiver. */
export interface Received {
  /** The path, which identifies the webhook. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests access bodies of any shape
  readonly json: any;
}

/** The response of a path; it may hold the response. */
export type Answer = (response: ServerResponse, request: Received) => void;

const accept: Answer = (response) => void response.writeHead(204).end();

/** A server to which webhooks deliver. It accepts everything unless a test says otherwise. */
export class WebhookReceiver {
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const received = { path: request.url ?? '', headers: request.headers, text, json: JSON.parse(text || 'null') };
      this.all.push(received);
      (this.answers.get(received.path) ?? accept)(response, received);
    });
  });
  readonly all: Received[] = [];
  /** By path. */
  readonly answers = new Map<string, Answer>();

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): Received[] {
    return this.all.filter((each) => each.path === path);
  }
}

/** A receiver for all tests of the suite. */
export const suiteReceiver = (): WebhookReceiver =>
  suiteFixture(
    () => new WebhookReceiver().listen(),
    async (receiver) => receiver.close(),
  );

/** Verifies a request as receivers do; returns its report. Throws if the signature is not valid. */
export const verified = (secret: string, { text, headers }: Received): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
