import { randomBytes } from 'node:crypto';
import type { PhotoType } from './images.ts';

declare const checked: unique symbol;

/** Where a file of photos is kept. Made by the functions of this file only, so there is no way out of a device's part. */
export type StorageKey = string & { readonly [checked]: 'key' };

/** The beginning of keys, up to a slash: everything below it goes together. */
export type StorageFolder = string & { readonly [checked]: 'folder' };

/** The sizes beside the full one: pixels of the square that the picture fits into. [decision 17, reference 9.3] */
export const photoSizes = { x1280: 1280, x640: 640, x320: 320, x160: 160, x80: 80 } as const;
export type PhotoSize = keyof typeof photoSizes;

/** Their names, the largest first. */
export const sizeNames = Object.keys(photoSizes) as readonly PhotoSize[];

const photoKeyForm = /^[0-9a-f]{32}$/;
const uploadKeyForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether this may be the key of a photo. */
export const isPhotoKey = (text: string): boolean => photoKeyForm.test(text);

/** Whether this may be the key of an upload. */
export const isUploadKey = (text: string): boolean => uploadKeyForm.test(text);

/** A key for a photo, which nobody can guess. */
export const freshPhotoKey = (): string => randomBytes(16).toString('hex');

/** Throws an Error for what is no id. */
function part(deviceId: number): string {
  if (!Number.isSafeInteger(deviceId) || deviceId < 1) throw new Error('photos are kept by device');
  return String(deviceId);
}

/** Everything of a device. */
export const deviceFolder = (deviceId: number): StorageFolder => `${part(deviceId)}/` as StorageFolder;

/** The files of one photo. Throws an Error for a key that is none. */
export function photoFolder(deviceId: number, key: string): StorageFolder {
  if (!isPhotoKey(key)) throw new Error('a photo with a key that is none');
  return `${part(deviceId)}/photos/${key}/` as StorageFolder;
}

/** One file of a photo. */
export const photoFile = (deviceId: number, key: string, type: PhotoType, size: PhotoSize | 'full'): StorageKey =>
  `${photoFolder(deviceId, key)}${size}.${type}` as StorageKey;

/** The file of an upload. Throws an Error for a key that is none. */
export function uploadFile(deviceId: number, key: string): StorageKey {
  if (!isUploadKey(key)) throw new Error('an upload with a key that is none');
  return `${part(deviceId)}/uploads/${key}.jpg` as StorageKey;
}

/** What a file in the storage is; null for one that is not from here. */
export interface ParsedStorageKey {
  readonly deviceId: number;
  readonly kind: 'photo' | 'upload';
  readonly key: string;
}

const keyForm = /^([1-9]\d{0,14})\/(?:photos\/([0-9a-f]{32})\/[\w.-]+|uploads\/([0-9a-f-]{36})\.jpg)$/;

/** Reads where a file belongs from its path in the storage. */
export function parseStorageKey(path: string): ParsedStorageKey | null {
  const [, deviceId, photo, upload] = keyForm.exec(path) ?? [];
  if (deviceId === undefined) return null;
  if (photo !== undefined) return { deviceId: Number(deviceId), kind: 'photo', key: photo };
  return upload !== undefined && isUploadKey(upload)
    ? { deviceId: Number(deviceId), kind: 'upload', key: upload }
    : null;
}
