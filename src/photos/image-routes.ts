import { Failure } from '../core/errors.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { find, parseCreate, show } from '../engine/records.ts';
import type { RequestedFetches } from '../engine/requested-fetches.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply, requestOrigin } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { jsonArray, jsonSelection } from '../engine/serializer.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { images } from './images.ts';
import type { PhotoRoom } from './photo-quota.ts';
import { photoRefusal } from './photo-quota.ts';
import { createPendingPhoto } from './photo-records.ts';
import { schedulePhotoDeletion } from './photo-removal.ts';
import { rewritePhotoOrigin } from './photo-urls.ts';

const record = recordSchema(images);
const { name, singular } = images;
const common = { access: 'token', tag: images.options.tag } as const;
const json: Selection<string> = jsonSelection(images);

/** Lists the newest photos up to the limit of the device. Older ones can be read by id. [rule F1] */
async function list(scope: DeviceScope, origin: string): Promise<string> {
  const { max_images_count } = await ownDevice(scope);
  const texts = await scope.select(images, json, {
    order: [
      ['created_at', 'desc'],
      ['id', 'desc'],
    ],
    limit: max_images_count,
  });
  return jsonArray(texts.map((text) => rewritePhotoOrigin(origin, text)));
}

/** The routes of images. There is no update. [rule F2] */
export const imageRoutes = (jobs: JobQueue, room: PhotoRoom, fetches: RequestedFetches): DeviceRoute[] => [
  {
    ...common,
    method: 'GET',
    path: `/api/${name}`,
    summary: 'List the newest images',
    description: 'Returns the newest photos, up to the limit of the device, newest first.',
    replies: { 200: Type.Array(record) },
    handle: async (scope, call) => jsonReply(await list(scope, requestOrigin(call))),
  },
  {
    ...common,
    method: 'GET',
    path: `/api/${name}/:id`,
    summary: 'Show an image',
    description: 'Returns one photo: its address, and where it was taken.',
    replies: { 200: record },
    handle: async (scope, call) =>
      jsonReply(rewritePhotoOrigin(requestOrigin(call), await show(scope, images, parseId(call.params.id, singular)))),
  },
  {
    ...common,
    method: 'POST',
    path: `/api/${name}`,
    summary: 'Create an image; the photo is fetched in the background',
    description:
      'Creates the record of a photo that was uploaded (`POST /direct_upload`) or that is at another address. The photo is fetched, checked and made smaller in the background; until then `attachment_url` is that of a placeholder.',
    body: { rule: 'object', schema: bodySchema(images, 'create') },
    replies: { 200: record, 507: failureSchema },
    async handle(scope, call) {
      const { attachment_url, meta } = await parseCreate(scope, images, objectBody(call));
      const refusal = await photoRefusal(scope, jobs, room);
      // Not thrown: the owner's notice must be committed.
      if (refusal !== null) return new Failure('storage_full', refusal);
      const { id, upload_key } = await createPendingPhoto(scope, jobs, {
        attachment_url,
        meta,
        origin: requestOrigin(call),
      });
      if (upload_key === null) fetches.consume(scope);
      return jsonReply(await show(scope, images, id));
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: `/api/${name}/:id`,
    summary: 'Delete an image; its files are deleted in the background',
    description: 'Deletes the record at once, and the files of the photo in the background.',
    replies: { 200: 'empty' },
    async handle(scope, call) {
      const { id } = await find(scope, images, parseId(call.params.id, singular));
      await schedulePhotoDeletion(scope, jobs, id);
      return emptyReply;
    },
  },
];
