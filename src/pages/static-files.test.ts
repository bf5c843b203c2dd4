import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../engine/route.ts';
import { StreamedReply } from '../engine/route.ts';
import { StaticFiles } from './static-files.ts';

const script = 'export const words = "a rake, a hoe, a spade";\n'.repeat(200);
const modified = new Date('2026-03-01T10:20:30.400Z');

let folder: string;
let files: StaticFiles;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'potager-static-'));
  const app = join(folder, 'app');
  mkdirSync(join(app, 'assets/.hidden'), { recursive: true });
  const contents = {
    'assets/entry.js': script,
    'assets/chunk-2BADCAF3.js': script,
    'assets/entry.js.map': script,
    'assets/small.css': 'p{}',
    'assets/nothing.txt': '',
    'assets/ready.js': script,
    'assets/ready.js.br': 'made before',
    'assets/rebuilt.js': script,
    'assets/rebuilt.js.br': 'of an earlier build',
    'assets/picture.jpg': 'not really a picture'.repeat(100),
    'assets/.secret': 'secret',
    'assets/.hidden/a.txt': 'secret',
    '../outside.txt': 'secret',
  };
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(join(app, name), content);
    utimesSync(join(app, name), modified, modified);
  }
  const earlier = new Date('2026-02-28T10:20:30.400Z');
  utimesSync(join(app, 'assets/rebuilt.js.br'), earlier, earlier);
  symlinkSync('../outside.txt', join(app, 'leads-out.txt'));
  symlinkSync('..', join(app, 'up'));
  symlinkSync('assets/.secret', join(app, 'leads-in.txt'));
  symlinkSync('assets/small.css', join(app, 'fine.css'));
  symlinkSync('circle', join(app, 'circle'));
  files = await StaticFiles.open(app, (_call, type) => (type.startsWith('text/css') ? { 'x-style': 'yes' } : {}));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function get(path: string, headers: Record<string, string> = {}) {
  const reply = await files.reply({ headers } as Partial<Call> as Call, path);
  if (!reply) throw new Error(`no file ${path}`);
  if (!(reply instanceof StreamedReply)) return { ...reply, bytes: Buffer.from(reply.text) };
  const parts: Buffer[] = [];
  for await (const part of reply.content) parts.push(part);
  return {
    status: reply.status,
    type: reply.type,
    headers: reply.headers,
    bytes: Buffer.concat(parts),
    length: reply.length,
  };
}

describe('static files', () => {
  it('are sent as they are', async () => {
    const { status, type, headers, bytes, length } = { length: 0, ...(await get('assets/entry.js')) };
    expect([status, type, length]).toEqual([200, 'text/javascript; charset=utf-8', script.length]);
    expect(bytes.toString()).toBe(script);
    expect(headers).toMatchObject({
      'cache-control': 'public, no-cache',
      'last-modified': 'Sun, 01 Mar 2026 10:20:30 GMT',
      vary: 'accept-encoding',
    });
    expect((await get('assets/chunk-2BADCAF3.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
    expect((await get('fine.css')).headers['x-style']).toBe('yes');
    expect((await get('assets/nothing.txt')).bytes.length).toBe(0);
  });

  it('get 304 while unchanged', async () => {
    const { etag = '' } = (await get('assets/entry.js')).headers;
    expect(etag).toMatch(/^W\/"[a-z0-9]+-[a-z0-9]+"$/);
    const status = async (headers: Record<string, string>) => (await get('assets/entry.js', headers)).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"other", ${etag.slice(2)}` })).toBe(304);
    expect(await status({ 'if-none-match': '"other"', 'if-modified-since': 'Sun, 01 Mar 2026 10:20:30 GMT' })).toBe(
      200,
    );
    expect(await status({ 'if-modified-since': 'Sun, 01 Mar 2026 10:20:30 GMT' })).toBe(304);
    expect(await status({ 'if-modified-since': 'Sun, 01 Mar 2026 10:20:29 GMT' })).toBe(200);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
  });

  it('are compressed if accepted, once', async () => {
    const brotli = await get('assets/entry.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(script);
    const zipped = await get('assets/entry.js', { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.bytes).toString()).toBe(script);
    const many = await Promise.all(
      Array.from({ length: 50 }, () => get('assets/chunk-2BADCAF3.js', { 'accept-encoding': 'br' })),
    );
    for (const one of many) expect(one.bytes.equals(many[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it('are sent uncompressed where compression is useless', async () => {
    for (const path of ['assets/small.css', 'assets/picture.jpg', 'assets/entry.js.map'])
      expect((await get(path, { 'accept-encoding': 'br, gzip' })).headers['content-encoding'], path).toBeUndefined();
  });

  it('are sent precompressed', async () => {
    const { headers, bytes, type } = await get('assets/ready.js', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], bytes.toString(), type]).toEqual([
      'br',
      'made before',
      'text/javascript; charset=utf-8',
    ]);
  });

  it('are compressed if the precompressed file is older', async () => {
    const { headers, bytes } = await get('assets/rebuilt.js', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(bytes).toString()).toBe(script);
  });

  it('are compressed again after a change', async () => {
    const path = join(folder, 'app/assets/changing.js');
    for (const word of ['before', 'after!']) {
      writeFileSync(path, `${word} `.repeat(1000));
      const { bytes } = await get('assets/changing.js', { 'accept-encoding': 'br' });
      expect(brotliDecompressSync(bytes).toString()).toBe(`${word} `.repeat(1000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  it('are the folder’s, without dotfiles', async () => {
    const escapes = [
      '',
      '.',
      '..',
      'assets',
      'assets/',
      'assets//entry.js',
      '../outside.txt',
      'assets/../../outside.txt',
      'assets/./entry.js',
      '/etc/passwd',
      'assets\\..\\..\\outside.txt',
      'leads-out.txt',
      'leads-in.txt',
      'up/outside.txt',
      'up/app/assets/entry.js/',
      'circle',
      'assets/.secret',
      'assets/.hidden/a.txt',
      'assets/entry.js\0.css',
      'assets/%2e%2e/outside.txt',
      'assets/entry.js/more',
      'a'.repeat(5000),
      `${'a/'.repeat(400)}b`,
      'a'.repeat(300),
    ];
    for (const path of escapes)
      expect(await files.reply({ headers: {} } as Partial<Call> as Call, path), path).toBeNull();
  });

  it('are read to the announced length', async () => {
    const reply = await files.reply({ headers: {} } as Partial<Call> as Call, 'assets/small.css');
    if (!(reply instanceof StreamedReply)) throw new Error('not streamed');
    expect(await text(reply.content)).toBe('p{}');
  });
});
