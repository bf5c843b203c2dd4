import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import inject from 'light-my-request';
import type { ZipEntry } from '../../src/transfer/account-archive.ts';
import { zipStream } from '../../src/transfer/account-archive.ts';
import type { Account, TestApp, TestResponse } from './app.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape, invalid ones included
export type Document = Record<string, any>;

/** Reads a hand-written document of `test/fixtures/transfer`. */
export const fixture = (name: string): Document =>
  JSON.parse(readFileSync(new URL(`../fixtures/transfer/${name}.json`, import.meta.url), 'utf8'));

/** Sends an import request with a document or with the bytes of a file. */
export async function sendImport(
  server: TestApp,
  account: Account,
  content: Document | Buffer,
  query = '',
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const payload = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const response = await inject(server.app.http.handler, {
    method: 'POST',
    url: `/api/import${query}`,
    headers: { 'user-agent': 'test', authorization: account.token, ...headers },
    payload: Readable.from([payload]),
  });
  const text = response.body;
  const isJson = text !== '' && String(response.headers['content-type']).startsWith('application/json');
  return { status: response.statusCode, text, json: isJson ? JSON.parse(text) : undefined, headers: response.headers };
}

/** Returns the exported document of the account. */
export async function exportAccount(server: TestApp, account: Account): Promise<Document> {
  const { status, json, text } = await server.call('POST', '/api/export_data', { token: account.token });
  if (status !== 200) throw new Error(`POST /api/export_data: ${status} ${text}`);
  return json;
}

/** Creates a ZIP archive of the files. */
export async function zipArchive(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const [name, content] of Object.entries(files)) yield { name, content, modified: 0 };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of zipStream(entries()) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
