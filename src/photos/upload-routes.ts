import { readFile } from 'node:fs/promises';
import { Failure } from '../core/errors.ts';
import { isUnavailable } from '../core/outage.ts';
import { sizeText } from '../core/size-text.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, DeviceRoute, PublicRoute, Route } from '../engine/route.ts';
import { emptyReply, jsonContentType, Reply, StreamedReply } from '../engine/route.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { IncomingFiles, ReceivedFile } from './incoming-files.ts';
import { JpegInspection } from './jpeg-inspection.ts';
import { say } from './messages.ts';
import { mediaTypes } from './photo-file-routes.ts';
import type { PhotoRoom } from './photo-quota.ts';
import { assertPhotoRoom } from './photo-quota.ts';
import { openUpload } from './photo-records.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { isShowableJpeg, maxPixels, maxSideLength } from './pictures.ts';
import { uploadFile } from './storage-keys.ts';
import { readUploadForm } from './upload-form.ts';
import { authorizeUpload, issueUploadKey, markUploaded, parseClientKey, toClientKey } from './uploads.ts';

/** 7 MiB. [rule F10] */
export const maxUploadBytes = 7_340_032;

export interface UploadServices {
  readonly storage: PhotoStorage;
  readonly incoming: IncomingFiles;
}

/** The services of the routes and jobs of photos. */
export interface PhotoServices extends UploadServices {
  readonly jobs: JobQueue;
  readonly fetch: ServerFetch;
  readonly room: PhotoRoom;
  /** Whether the scope's device belongs to a demo account, for which nothing is fetched. */
  readonly isDemo: (scope: DeviceScope) => Promise<boolean>;
}

const text = Type.String({ minLength: 1 });

const instructions =
  'Send form_data as multipart/form-data to url, within an hour, with a JPEG of at most 7 MiB as file. Then POST to /api/images with the address url + key as attachment_url.';

const storageAuth = Type.Object(
  {
    verb: Type.Literal('POST'),
    url: Type.String({ description: 'URL of the form without a scheme: `//host:port/direct_upload/`.' }),
    form_data: Type.Object({
      key: text,
      acl: text,
      'Content-Type': text,
      policy: text,
      signature: text,
      GoogleAccessId: text,
      file: text,
    }),
    instructions: text,
  },
  {
    $id: 'UploadPermission',
    examples: [
      {
        verb: 'POST',
        url: '//localhost:3000/direct_upload/',
        form_data: {
          key: 'temp/8d0f9c8e',
          acl: 'public-read',
          'Content-Type': 'image/jpeg',
          policy: 'N/A',
          signature: 'c2lnbmF0dXJl',
          GoogleAccessId: 'N/A',
          file: 'REPLACE_THIS_WITH_A_BINARY_JPEG_FILE',
        },
        instructions,
      },
    ],
  },
);

/** Permission to upload. [rule F11] */
const storageAuthRoute = ({ jobs, room }: PhotoServices): DeviceRoute => ({
  access: 'token',
  tag: 'Photos',
  method: 'GET',
  path: '/api/storage_auth',
  // It permits an upload.
  role: 'gardener',
  scope: 'garden',
  summary: 'Get permission to upload a photo',
  description: 'Returns the address and the fields of a form with which one photo can be uploaded within an hour.',
  // 422 if the account is deleted concurrently.
  replies: { 200: storageAuth, 422: fieldFailuresSchema, 507: failureSchema },
  untagged: untagged.issued,
  async handle(scope, call) {
    await assertPhotoRoom(scope, jobs, room);
    const { key, signature } = await issueUploadKey(scope);
    return {
      verb: 'POST',
      url: `//${call.host}/direct_upload/`,
      form_data: {
        key: toClientKey(key),
        acl: 'public-read',
        'Content-Type': 'image/jpeg',
        policy: 'N/A',
        signature,
        GoogleAccessId: 'N/A',
        file: 'REPLACE_THIS_WITH_A_BINARY_JPEG_FILE',
      },
      instructions,
    };
  },
});

const formSchema = Type.Object(
  { key: text, signature: Type.Optional(text), file: Type.String({ format: 'binary', description: 'The JPEG.' }) },
  {
    $id: 'UploadForm',
    description: 'The `form_data` of `GET /api/storage_auth`, the file last. Other fields are ignored.',
    additionalProperties: true,
    examples: [{ key: 'temp/0f3c.jpg', file: '(binary)' }],
  },
);

/** The file of an upload form. */
interface UploadedFile {
  received: ReceivedFile | null;
  readonly inspection: JpegInspection;
}

/** Returns the reason why a file is refused, or null. */
async function fileProblem({ received, inspection }: UploadedFile): Promise<Failure | null> {
  if (!received) return new Failure('bad_request', say.noFile);
  if (received.isTruncated) return new Failure('body_too_large', say.fileTooLarge(sizeText(maxUploadBytes)));
  if (!inspection.isJpeg) return new Failure('unsupported_type', say.noJpeg);
  const { width, height } = inspection;
  if (width * height > maxPixels || Math.max(width, height) > maxSideLength)
    return new Failure('body_too_large', say.manyPixels(maxPixels / 1e6, maxSideLength));
  return inspection.isComplete || (await isShowableJpeg(await readFile(received.path)))
    ? null
    : new Failure('unsupported_type', say.cutJpeg);
}

/** Receives and stores the file of a form. The key comes first and is checked before a byte of the file is received. [rule F8] */
async function receiveUpload(server: ServerScope, call: Call, services: PhotoServices): Promise<void> {
  const { storage, incoming, jobs, room } = services;
  const uploaded: UploadedFile = { received: null, inspection: new JpegInspection() };
  try {
    const type = call.headers['content-type'];
    const fields = await readUploadForm(
      call.bodyStream,
      typeof type === 'string' ? type : undefined,
      maxUploadBytes,
      async (content, before) => {
        const { device_id } = await authorizeUpload(server, before.get('key') ?? '', before.get('signature'));
        const device = server.device(device_id);
        await room.quotas.hold(device, 'uploads_in_flight', async () => {
          await assertPhotoRoom(device, jobs, room);
          uploaded.received = await incoming.receive(content, maxUploadBytes, (chunk) =>
            uploaded.inspection.write(chunk),
          );
        });
      },
    );
    const key = fields.get('key');
    if (!key) throw new Failure('bad_request', say.noKey);
    const row = await authorizeUpload(server, key, fields.get('signature'));
    const problem = await fileProblem(uploaded);
    if (problem) throw problem;
    const { received } = uploaded;
    if (!received) return;
    const fileKey = uploadFile(row.device_id, row.key);
    await storage.putFile(fileKey, received.path);
    try {
      await server.transaction((scope) => markUploaded(scope, row, received.size));
    } catch (error) {
      // The device was deleted, or the photo created, in the meantime. After an unknown commit the file may be needed.
      if (error instanceof Failure && !isUnavailable(error)) await storage.delete(fileKey);
      throw error;
    }
  } finally {
    if (uploaded.received) await incoming.discard(uploaded.received);
  }
}

const directUpload = (services: PhotoServices): PublicRoute => ({
  access: 'public',
  tag: 'Photos',
  method: 'POST',
  path: '/direct_upload',
  forVirtualRobots: true,
  summary: 'Upload a photo with a key from `GET /api/storage_auth`',
  description:
    'Takes a form (`multipart/form-data`) with the fields of `GET /api/storage_auth` and a JPEG of at most 7 MiB as its last field, `file`.',
  transaction: false,
  acceptsAnyVersion: true,
  body: { rule: 'stream', schema: formSchema, type: 'multipart/form-data', maxSize: maxUploadBytes },
  replies: {
    200: 'empty',
    400: failureSchema,
    401: failureSchema,
    415: failureSchema,
    507: failureSchema,
  },
  async handle(server, call) {
    await receiveUpload(server, call, services);
    return emptyReply;
  },
});

const missing = new Reply('', jsonContentType, 404);

const readUpload = ({ storage }: UploadServices): PublicRoute => ({
  access: 'public',
  tag: 'Photos',
  method: 'GET',
  path: '/direct_upload/temp/:name',
  summary: 'Get an upload as it was sent or, once its photo is created, the photo',
  description: 'Returns the file of an upload until it becomes a photo, and the photo afterwards.',
  params: Type.Object({ name: text }),
  acceptsAnyVersion: true,
  replies: { 200: 'binary', 404: 'empty' },
  async handle(server, call) {
    const key = parseClientKey(`temp/${call.params.name}`);
    const file = key === null ? null : await openUpload(storage, server, key);
    if (!file) return missing;
    const headers = { 'cache-control': 'no-cache', 'content-disposition': 'inline' };
    return new StreamedReply(file.content, mediaTypes[file.extension], { length: file.length, headers });
  },
});

export const uploadRoutes = (services: PhotoServices): Route[] => [
  storageAuthRoute(services),
  directUpload(services),
  readUpload(services),
];
