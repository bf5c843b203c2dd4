import { randomBytes } from 'node:crypto';
import type { PhotoType } from './images.ts';

declare const checked: unique symbol;

/** The path of a file in the storage. Only the functions of this file create one, so it cannot leave the folder of its device. */
export type StorageKey = string & { readonly [checked]: 'key' };

/** The prefix of keys, up to a slash. */
export type StorageFolder = string & { readonly [checked]: 'folder' };

/** The smaller sizes: side of the square that the picture fits into, in pixels. [rule F7, decision 17] */
export const photoSizes = { x1280: 1280, x640: 640, x320: 320, x160: 160, x80: 80 } as const;
export type PhotoSize = keyof typeof photoSizes;

/** Their names, largest first. */
export const sizeNames = Object.keys(photoSizes) as readonly PhotoSize[];

const photoKeyPattern = /^[0-9a-f]{32}$/;
const uploadKeyPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isPhotoKey = (text: string): boolean => photoKeyPattern.test(text);

export const isUploadKey = (text: string): boolean => uploadKeyPattern.test(text);

/** A new random key. */
export const generatePhotoKey = (): string => randomBytes(16).toString('hex');

/** Throws an Error for an invalid id. */
function deviceFolderName(deviceId: number): string {
  if (!Number.isSafeInteger(deviceId) || deviceId < 1) throw new Error(`${deviceId} is not the id of a device`);
  return String(deviceId);
}

/** All files of a device. */
export const deviceFolder = (deviceId: number): StorageFolder => `${deviceFolderName(deviceId)}/` as StorageFolder;

/** The files of one photo. Throws an Error for an invalid key. */
export function photoFolder(deviceId: number, key: string): StorageFolder {
  if (!isPhotoKey(key)) throw new Error('invalid photo key');
  return `${deviceFolderName(deviceId)}/photos/${key}/` as StorageFolder;
}

/** One file of a photo. */
export const photoFile = (deviceId: number, key: string, type: PhotoType, size: PhotoSize | 'full'): StorageKey =>
  `${photoFolder(deviceId, key)}${size}.${type}` as StorageKey;

/** The file of an upload. Throws an Error for an invalid key. */
export function uploadFile(deviceId: number, key: string): StorageKey {
  if (!isUploadKey(key)) throw new Error('invalid upload key');
  return `${deviceFolderName(deviceId)}/uploads/${key}.jpg` as StorageKey;
}

/** The owner of a key in the storage. */
export interface ParsedStorageKey {
  readonly deviceId: number;
  readonly kind: 'photo' | 'upload';
  readonly key: string;
}

const keyPattern = /^([1-9]\d{0,14})\/(?:photos\/([0-9a-f]{32})\/[\w.-]+|uploads\/([0-9a-f-]{36})\.jpg)$/;

/** Returns the key of a file in the storage; null for files of other origin. */
export const storageKey = (path: string): StorageKey | null =>
  parseStorageKey(path) === null ? null : (path as StorageKey);

/** Parses a path in the storage; returns null for files of other origin. */
export function parseStorageKey(path: string): ParsedStorageKey | null {
  const [, deviceId, photo, upload] = keyPattern.exec(path) ?? [];
  if (deviceId === undefined) return null;
  if (photo !== undefined) return { deviceId: Number(deviceId), kind: 'photo', key: photo };
  return upload !== undefined && isUploadKey(upload)
    ? { deviceId: Number(deviceId), kind: 'upload', key: upload }
    : null;
}
