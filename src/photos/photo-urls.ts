import type { PhotoType } from './images.ts';
import { photosPath, photoTypes } from './images.ts';

/** Which photo an address means. */
export interface PhotoReference {
  readonly deviceId: number;
  readonly key: string;
  readonly type: PhotoType;
}

const idForm = /^[1-9]\d{0,14}$/;
const fileForm = /^([0-9a-f]{32})\.([a-z]+)$/;

/** Reads the two parts behind `/photos/`; null when they name no photo. */
export function parsePhotoPath(device: string, file: string): PhotoReference | null {
  const [, key, ending] = fileForm.exec(file) ?? [];
  const type = photoTypes.find((one) => one === ending);
  return idForm.test(device) && key !== undefined && type !== undefined
    ? { deviceId: Number(device), key, type }
    : null;
}

/** The photo that a whole address names, on whatever host; null when it names none. */
export function parsePhotoUrl(url: string): PhotoReference | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  const [device = '', file = '', ...more] = pathname.startsWith(`${photosPath}/`)
    ? pathname.slice(photosPath.length + 1).split('/')
    : [];
  return more.length === 0 && search === '' ? parsePhotoPath(device, file) : null;
}
