import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { Failure } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { say } from './messages.ts';
import { isUploadKey } from './storage-keys.ts';

/** Issued upload keys. A client that knows a key may upload with it and read the upload, so keys are random. [decision 18] */
export const uploads = table(
  'uploads',
  {
    device_id: column.bigint().references('devices'),
    /** A UUID. */
    key: column.text(),
    /** Sent back by the client to prove that the key was issued to it. */
    signature: column.text(),
    expires_at: column.time(),
    /** Null before the upload, and when it was released. */
    uploaded_at: column.time().nullable(),
    /** Of the last upload with the key. */
    byte_size: column.bigint().nullable(),
  },
  { reach: 'both', unique: [['key']], indexes: [['device_id', 'expires_at'], ['created_at']] },
);

export type UploadRow = RowOf<typeof uploads>;

/** Lifetime of a key in ms. [rule F9] */
const keyLifetime = 3600_000;

const keyPattern = /^temp\/([0-9a-f-]{36})\.jpg$/;

/** The key as clients know it. */
export const toClientKey = (key: string): string => `temp/${key}.jpg`;

/** Parses a key that a client sent; returns null if it cannot be one. */
export function parseClientKey(text: string): string | null {
  const [, key = ''] = keyPattern.exec(text) ?? [];
  return isUploadKey(key) ? key : null;
}

/** Parses the key in the URL of an upload, whatever its host; returns null for other URLs. */
export function parseUploadUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, pathname } = new URL(url);
  const [, path = ''] = /^\/direct_upload\/(.*)$/.exec(pathname) ?? [];
  return protocol === 'http:' || protocol === 'https:' ? parseClientKey(path) : null;
}

/** Whether no image, of any device, was created from the upload. */
export const isUnnamed = sql`not exists (select 1 from images where images.upload_key = uploads.key)`;

/** Unused keys that a garden may have; a robot asks for one before each photo. */
const maxUnused = 1000;

/** Issues a key for one upload; it replaces the oldest unused ones beyond {@link maxUnused}. */
export function issueUploadKey(scope: DeviceScope): Promise<UploadRow> {
  const now = scope.clock.now();
  return scope.transaction(async (inner) => {
    // Keys that expired unused leave no file behind.
    const expires_at = { lt: timestamp(confirmedNow(inner.clock)) };
    await inner.delete(uploads, { where: { uploaded_at: null, expires_at }, and: isUnnamed });
    const unused = { where: { uploaded_at: null }, and: isUnnamed };
    const surplus = (await inner.count(uploads, unused)) + 1 - maxUnused;
    const oldest = surplus > 0 ? await inner.select(uploads, idOf, { ...unused, limit: surplus }) : [];
    if (oldest.length > 0) await inner.delete(uploads, { where: { id: oldest } });
    return inner.insert(uploads, {
      key: randomUUID(),
      signature: randomBytes(32).toString('base64url'),
      expires_at: timestamp(now + keyLifetime),
    });
  });
}

/** Whether no photo, of any device, was created from the upload. Afterwards its address returns the photo, never another file. [rule F12] */
const isWithoutPhoto = sql`not exists (
  select 1 from images where images.upload_key = uploads.key and images.photo_type is not null
)`;

const invalidKey = () => new Failure('unauthenticated', say.deadKey);

/** Returns the upload that a key and its signature, if one was sent, authorize. Throws 401. [decision 18] */
export async function authorizeUpload(
  server: ServerScope,
  text: string,
  signature: string | undefined,
): Promise<UploadRow> {
  const key = parseClientKey(text);
  const upload = key === null ? undefined : await server.first(uploads, { where: { key }, and: isWithoutPhoto });
  if (!upload || upload.expires_at <= currentTimestamp(server.clock)) throw invalidKey();
  if (signature !== undefined && !isEqual(signature, upload.signature)) throw invalidKey();
  return upload;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Marks an upload of that size as stored, in a transaction. Throws 401 when its device was deleted, or its photo created from an earlier upload. */
export async function markUploaded(server: ServerScope, { id }: UploadRow, byte_size: number): Promise<void> {
  const changes = { uploaded_at: currentTimestamp(server.clock), byte_size };
  await server.update(uploads, changes, { where: { id } });
  // After the update, which waits for a transaction that creates the photo.
  if ((await server.count(uploads, { where: { id }, and: isWithoutPhoto })) === 0) throw invalidKey();
}
