import { notFound } from '../core/errors.ts';
import { loadedOnce } from '../core/loaded-once.ts';
import { matchesTag } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { Reply, StreamedReply } from '../engine/route.ts';
import type { PhotoType } from './images.ts';
import { photosPath, placeholderPath, unavailableText } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { parsePhotoPath } from './photo-urls.ts';
import { encodeJpeg } from './pictures.ts';
import { placeholderPixels, unavailableWords } from './placeholder.ts';
import type { PhotoSize } from './storage-keys.ts';
import { photoFile, sizeNames } from './storage-keys.ts';

export const mediaTypes: Readonly<Record<PhotoType, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

/** Pages on other origins show photos and draw them on canvases. [rule F5] */
const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** The photo at a URL never changes. */
const cachedForever = 'public, max-age=31536000, immutable';
const cachedForADay = 'public, max-age=86400';

const sizeQuery = Type.Object({
  size: Type.Optional(
    Type.OneOf(sizeNames, {
      description: 'The side of the square that the picture fits into, in pixels. Default: full size.',
    }),
  ),
});

/** Returns the requested size; null for an unknown one. */
function requestedSize({ query }: Call): PhotoSize | 'full' | null {
  if (query.size === undefined) return 'full';
  return sizeNames.find((name) => name === query.size) ?? null;
}

/** Needs no token: the URL cannot be guessed. [rule F5] */
const photoRoute = (storage: PhotoStorage): PublicRoute => ({
  access: 'public',
  tag: 'Photos',
  method: 'GET',
  path: `${photosPath}/:device/:file`,
  summary: 'Get a photo at an `attachment_url`, in full or smaller',
  description:
    'Returns the picture at an `attachment_url`. It needs no token, because the address cannot be guessed, and never changes, so that it may be cached.',
  params: Type.Object({ device: Type.String(), file: Type.String() }),
  query: sizeQuery,
  acceptsAnyVersion: true,
  addition: true,
  replies: { 200: 'binary', 304: 'empty' },
  async handle(_server, call) {
    const photo = parsePhotoPath(call.params.device ?? '', call.params.file ?? '');
    const size = requestedSize(call);
    if (!photo || !size) throw notFound('Photo');
    const { deviceId, key, type } = photo;
    const full = photoFile(deviceId, key, type, 'full');
    const etag = `"${key.slice(0, 16)}-${size}"`;
    const headers = { ...crossOriginHeaders, 'cache-control': cachedForever, etag };
    if (matchesTag(call, etag)) {
      if (await storage.has(full)) return new Reply('', mediaTypes[type], 304, headers);
      throw notFound('Photo');
    }
    // Only sizes smaller than the picture are stored.
    const smaller = size === 'full' ? null : await storage.get(photoFile(deviceId, key, type, size));
    const file = smaller ?? (await storage.get(full));
    if (!file) throw notFound('Photo');
    return new StreamedReply(file.content, mediaTypes[type], { length: file.length, headers });
  },
});

/** The placeholder of photos that are not processed yet, or never will be. Clients add other queries, which are ignored. [rule F4, F6] */
function placeholderRoute(): PublicRoute {
  const pending = loadedOnce(() => encodeJpeg(placeholderPixels([])));
  const unavailable = loadedOnce(() => encodeJpeg(placeholderPixels(unavailableWords)));
  return {
    access: 'public',
    tag: 'Photos',
    method: 'GET',
    path: placeholderPath,
    summary: 'Get the placeholder of photos that are not processed yet',
    description: 'Returns the picture that is shown until a photo is processed, or where it cannot be had.',
    query: Type.Object({
      text: Type.Optional(
        Type.String({ description: `\`${unavailableText}\`: the picture says that the photo cannot be had.` }),
      ),
    }),
    acceptsAnyVersion: true,
    replies: { 200: 'binary' },
    async handle(_server, { query }) {
      const image = query.text === unavailableText ? unavailable : pending;
      return new Reply(await image(), mediaTypes.jpg, 200, { ...crossOriginHeaders, 'cache-control': cachedForADay });
    },
  };
}

export const photoFileRoutes = (storage: PhotoStorage): PublicRoute[] => [photoRoute(storage), placeholderRoute()];
