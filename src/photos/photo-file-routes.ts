import Type from 'typebox';
import { notFound } from '../core/errors.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { Reply, StreamedReply } from '../engine/route.ts';
import type { PhotoType } from './images.ts';
import { photosPath, placeholderPath } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { parsePhotoPath } from './photo-urls.ts';
import { jpegOf } from './pictures.ts';
import { placeholderPixels } from './placeholder.ts';
import type { PhotoSize } from './storage-keys.ts';
import { photoFile, sizeNames } from './storage-keys.ts';

const mediaTypes: Readonly<Record<PhotoType, string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

/** Pages on other hosts show photos, and draw them into what they compute. [client web app] */
const forEverybody = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** What a photo's address leads to never changes; it can only go. */
const forever = 'public, max-age=31536000, immutable';
const forADay = 'public, max-age=86400';

const sizeQuery = Type.Object({
  size: Type.Optional(
    Type.Union(
      sizeNames.map((name) => Type.Literal(name)),
      { description: 'The square that the picture fits into, in pixels; in full without it.' },
    ),
  ),
});

/** Which size is asked for; null for one that there is not. */
function sizeOf({ query }: Call): PhotoSize | 'full' | null {
  if (query.size === undefined) return 'full';
  return sizeNames.find((name) => name === query.size) ?? null;
}

const unchanged = (call: Call, etag: string): boolean => {
  const known = call.headers['if-none-match'];
  return (
    typeof known === 'string' &&
    (known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag))
  );
};

/** A photo, for everybody who knows its address. Throws 404. */
const photo = (storage: PhotoStorage): PublicRoute => ({
  access: 'public',
  tag: 'images',
  method: 'GET',
  path: `${photosPath}/:device/:file`,
  summary: 'Get a photo, in full or smaller; its address is an `attachment_url`',
  params: Type.Object({ device: Type.String(), file: Type.String() }),
  query: sizeQuery,
  acceptsAnyVersion: true,
  addition: true,
  replies: { 200: 'binary', 304: 'empty' },
  async handle(_server, call) {
    const named = parsePhotoPath(call.params.device ?? '', call.params.file ?? '');
    const size = sizeOf(call);
    if (!named || !size) throw notFound('Photo');
    const { deviceId, key, type } = named;
    const full = photoFile(deviceId, key, type, 'full');
    const etag = `"${key.slice(0, 16)}-${size}"`;
    const headers = { ...forEverybody, 'cache-control': forever, etag };
    if (unchanged(call, etag)) {
      if (await storage.has(full)) return new Reply('', mediaTypes[type], 304, headers);
      throw notFound('Photo');
    }
    // Sizes that would not be smaller than the picture are not kept.
    const smaller = size === 'full' ? null : await storage.get(photoFile(deviceId, key, type, size));
    const file = smaller ?? (await storage.get(full));
    if (!file) throw notFound('Photo');
    return new StreamedReply(file.content, mediaTypes[type], { length: file.length, headers });
  },
});

/** What stands for a photo that is not there yet; clients add a text that nobody looks at. */
function placeholder(): PublicRoute {
  let made: Promise<Buffer> | null = null;
  return {
    access: 'public',
    tag: 'images',
    method: 'GET',
    path: placeholderPath,
    summary: 'Get the picture that stands for a photo which is not there yet',
    acceptsAnyVersion: true,
    replies: { 200: 'binary' },
    async handle() {
      made ??= jpegOf(placeholderPixels());
      return new Reply(await made, mediaTypes.jpg, 200, { ...forEverybody, 'cache-control': forADay });
    },
  };
}

/** Photos and what stands for them, for everybody. */
export const photoFileRoutes = (storage: PhotoStorage): PublicRoute[] => [photo(storage), placeholder()];
