import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { FixedContent } from './fixed-content.ts';

const text = '{"name":"Möhre"}'.repeat(100);
const content = new FixedContent(text, 'application/json', { 'x-more': '1' });

const bytesOf = (body: string | Buffer): Buffer => Buffer.from(body);

it('sends text in the encoding that the client prefers', async () => {
  const plain = await content.reply({ headers: {} });
  expect([plain.status, plain.type, plain.text]).toEqual([200, 'application/json', text]);
  expect(plain.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding', 'x-more': '1' });
  expect(plain.headers).not.toHaveProperty('content-encoding');

  const gzip = await content.reply({ headers: { 'accept-encoding': 'gzip, deflate, br;q=0' } });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(bytesOf(gzip.body)).toString()).toBe(text);

  const brotli = await content.reply({ headers: { 'accept-encoding': 'gzip, deflate, br' } });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(bytesOf(brotli.body)).toString()).toBe(text);
  expect(bytesOf(brotli.body).length).toBeLessThan(100);
  // Compressed once.
  expect((await content.reply({ headers: { 'accept-encoding': 'br' } })).body).toBe(brotli.body);
});

it('confirms the copy that a client has', async () => {
  const { headers } = await content.reply({ headers: {} });
  const confirmed = await content.reply({ headers: { 'if-none-match': `"other", ${headers.etag}` } });
  expect([confirmed.status, confirmed.text, confirmed.headers.etag]).toEqual([304, '', headers.etag]);
  expect((await content.reply({ headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  const other = await new FixedContent(`${text} `, 'application/json').reply({ headers: {} });
  expect(other.headers.etag).not.toBe(headers.etag);
});
