import type { DeviceScope } from '../db/scope.ts';
import { images, photosPath } from './images.ts';

/** Returns the URL of a device's newest processed photo; null: there is none. `base`: `http://host:port`. */
export async function newestPhotoUrl(scope: DeviceScope, base: string): Promise<string | null> {
  const image = await scope.first(images, { where: { photo_type: { not: null } }, order: [['id', 'desc']] });
  return image ? `${base}${photosPath}/${scope.deviceId}/${image.photo_key}.${image.photo_type}` : null;
}
