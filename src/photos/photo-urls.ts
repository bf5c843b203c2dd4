import type { PhotoType } from './images.ts';
import { photosPath, photoTypes } from './images.ts';

/** A photo that a URL names. */
export interface PhotoReference {
  readonly deviceId: number;
  readonly key: string;
  readonly type: PhotoType;
}

const idPattern = /^[1-9]\d{0,14}$/;
const filePattern = /^([0-9a-f]{32})\.([a-z]+)$/;

/** Parses the two path segments after `/photos/`; returns null when they name no photo. */
export function parsePhotoPath(device: string, file: string): PhotoReference | null {
  const [, key, extension] = filePattern.exec(file) ?? [];
  const type = photoTypes.find((one) => one === extension);
  return idPattern.test(device) && key !== undefined && type !== undefined
    ? { deviceId: Number(device), key, type }
    : null;
}

/** Parses the URL of a photo, whatever its host; returns null for other URLs. */
export function parsePhotoUrl(url: string): PhotoReference | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  const [device = '', file = '', ...more] = pathname.startsWith(`${photosPath}/`)
    ? pathname.slice(photosPath.length + 1).split('/')
    : [];
  return more.length === 0 && search === '' ? parsePhotoPath(device, file) : null;
}

/** The JSON of an image with the photo's URL on the given origin. No field before `attachment_url` holds text of a client. */
export const rewritePhotoOrigin = (origin: string, json: string): string =>
  json.replace(/"attachment_url":"https?:\/\/[^/"]+/, () => `"attachment_url":"${origin}`);

/** {@link rewritePhotoOrigin} for the JSON array of several images. */
export function rewritePhotoOrigins(origin: string, list: string): string {
  const records = JSON.parse(list) as object[];
  return `[${records.map((record) => rewritePhotoOrigin(origin, JSON.stringify(record))).join(',')}]`;
}
