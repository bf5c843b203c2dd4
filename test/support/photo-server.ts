import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.ts';
import type { Account, TestApp } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { textAt } from './json.ts';
import { suiteFixture } from './suite-fixture.ts';

/** A response with a binary body. */
export interface BytesAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly headers: Headers;
}

/** The upload policy that a robot receives. */
export interface Permission {
  readonly url: string;
  readonly key: string;
  readonly signature: string;
}

/** The fields of a multipart form; buffers are sent as files. */
export type Form = readonly (readonly [name: string, value: string | Buffer])[];

/** A listening server in this process, for uploads and photos. */
export interface PhotoServer extends TestApp {
  /** `http://127.0.0.1:port` */
  readonly base: string;
  readonly port: number;
  /** Sends a request without a token; does not follow redirects. */
  get(path: string, headers?: Record<string, string>): Promise<BytesAnswer>;
  uploadPermission(account: Account): Promise<Permission>;
  /** Sends a form to `/direct_upload`. */
  sendForm(form: Form): Promise<{ readonly status: number; readonly text: string }>;
  /** Uploads a JPEG for its owner and returns its URL. Throws unless it succeeds. */
  upload(account: Account, bytes: Buffer): Promise<string>;
  /** Creates an image from a URL and returns its record. */
  createImage(account: Account, url: string, meta?: object): Promise<Image>;
  getImage(account: Account, id: number): Promise<Image>;
  /** Waits until the photo is processed. Throws after 30 s. */
  waitUntilProcessed(account: Account, id: number): Promise<Image>;
  /** Paths of the stored photos, without unfinished uploads. */
  storedFiles(): string[];
  /** Paths of unfinished uploads. */
  incomingFiles(): string[];
}

export interface Image {
  readonly id: number;
  readonly attachment_url: string;
  readonly attachment_processed_at: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly device_id: number;
}

const filesBelow = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
};

export async function startPhotoServer(
  engine: Engine,
  environment: Record<string, string> = {},
  clock?: Clock,
): Promise<PhotoServer> {
  const server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0', ...environment }, clock);
  const { address: base } = await server.app.listen();
  const host = base.replace('http://', '');
  const headers = { host };
  const requested = async (account: Account, method: string, path: string, body?: unknown) => {
    const response = await server.call(method, path, {
      token: account.token,
      headers,
      ...(body !== undefined && { body }),
    });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.json;
  };
  const folder = join(server.settings.DATA_DIR, 'photos');
  const photoServer: PhotoServer = {
    ...server,
    base,
    port: Number(new URL(base).port),
    async get(path, more = {}) {
      const response = await fetch(new URL(path, base), { headers: more, redirect: 'manual' });
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    async uploadPermission(account) {
      const json = await requested(account, 'GET', '/api/storage_auth');
      return {
        url: textAt(json, 'url'),
        key: textAt(json, 'form_data.key'),
        signature: textAt(json, 'form_data.signature'),
      };
    },
    async sendForm(form) {
      const body = new FormData();
      for (const [name, value] of form)
        if (typeof value === 'string') body.append(name, value);
        else body.append(name, new Blob([value], { type: 'image/jpeg' }), '/tmp/images/1700000000.jpg');
      const response = await fetch(`${base}/direct_upload`, { method: 'POST', body });
      return { status: response.status, text: await response.text() };
    },
    async upload(account, bytes) {
      const { url, key, signature } = await photoServer.uploadPermission(account);
      const response = await photoServer.sendForm([
        ['key', key],
        ['signature', signature],
        ['file', bytes],
      ]);
      if (response.status !== 200 || response.text !== '')
        throw new Error(`upload: ${response.status} ${response.text}`);
      return `http:${url}${key}`;
    },
    createImage: (account, url, meta) =>
      requested(account, 'POST', '/api/images', { attachment_url: url, ...(meta && { meta }) }) as Promise<Image>,
    getImage: (account, id) => requested(account, 'GET', `/api/images/${id}`) as Promise<Image>,
    async waitUntilProcessed(account, id) {
      for (let i = 0; i < 600; i++) {
        const image = await photoServer.getImage(account, id);
        if (image.attachment_processed_at !== null) return image;
        await sleep(50);
      }
      throw new Error(`image ${id} was not processed`);
    },
    storedFiles: () => filesBelow(folder).filter((path) => !path.startsWith('incoming')),
    incomingFiles: () => filesBelow(join(folder, 'incoming')),
  };
  return photoServer;
}

/** A server of {@link startPhotoServer} for all tests of the suite. */
export const suitePhotoServer = (...options: Parameters<typeof startPhotoServer>): PhotoServer =>
  suiteFixture(
    () => startPhotoServer(...options),
    (server) => server.close(),
  );
