import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { isUploadKey } from './storage-keys.ts';
import type { UploadRow } from './uploads.ts';
import { uploads } from './uploads.ts';

/** How long a key may be used, in ms. [reference 9.5] */
export const keyTime = 3600_000;

const keyForm = /^temp\/([0-9a-f-]{36})\.jpg$/;

/** An upload's key as clients see it. */
export const clientKey = (key: string): string => `temp/${key}.jpg`;

/** The key in what a client sent as one; null when this server gives out no such keys. */
export function keyFrom(text: string): string | null {
  const [, key = ''] = keyForm.exec(text) ?? [];
  return isUploadKey(key) ? key : null;
}

/** The key in the address of an upload, whatever its host; null for other addresses. */
export function uploadKeyOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, pathname } = new URL(url);
  const [, path = ''] = /^\/direct_upload\/(.*)$/.exec(pathname) ?? [];
  return protocol === 'http:' || protocol === 'https:' ? keyFrom(path) : null;
}

/** Gives out a key for one upload. */
export function issueKey(scope: DeviceScope): Promise<UploadRow> {
  const now = scope.clock.now();
  return scope.transaction(async (inner) => {
    // Most keys are used at once; what was never used leaves nothing behind.
    await inner.delete(uploads, { where: { uploaded_at: null, expires_at: { lt: timestamp(now) } } });
    return inner.insert(uploads, {
      key: randomUUID(),
      signature: randomBytes(32).toString('base64url'),
      expires_at: timestamp(now + keyTime),
    });
  });
}

const refusal = () =>
  new Failure('unauthenticated', 'The key of the upload was not given out by this server, or has expired.');

/** The upload that a key and a signature allow. Without a signature the key is enough. Throws 401. [decision 18] */
export async function admitted(server: ServerScope, text: string, signature: string | undefined): Promise<UploadRow> {
  const key = keyFrom(text);
  const upload = key === null ? undefined : await server.first(uploads, { where: { key } });
  if (!upload || upload.expires_at <= currentTimestamp(server.clock)) throw refusal();
  if (signature !== undefined && !isSame(signature, upload.signature)) throw refusal();
  return upload;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Notes that an upload is there. Throws 401 when its device is gone. */
export async function noteUploaded(server: ServerScope, { id }: UploadRow): Promise<void> {
  const noted = await server.update(uploads, { uploaded_at: currentTimestamp(server.clock) }, { where: { id } });
  if (noted.length === 0) throw refusal();
}

/** The upload with this key; undefined when nothing was uploaded with it. */
export const uploadedWith = (server: ServerScope, key: string): Promise<UploadRow | undefined> =>
  server.first(uploads, { where: { key, uploaded_at: { not: null } } });
