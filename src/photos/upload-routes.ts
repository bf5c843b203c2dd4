import Type from 'typebox';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import type { Call, DeviceRoute, PublicRoute, Route } from '../engine/route.ts';
import { emptyReply, jsonContentType, Reply, StreamedReply } from '../engine/route.ts';
import type { IncomingFiles, ReceivedFile } from './incoming-files.ts';
import { JpegInspection } from './jpeg-inspection.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { maxPixels, maxSideLength } from './pictures.ts';
import { uploadFile } from './storage-keys.ts';
import { readUploadForm } from './upload-form.ts';
import { admitted, clientKey, issueKey, keyFrom, noteUploaded, uploadedWith } from './upload-keys.ts';

/** Bytes of an upload: 7 MiB. [reference 9.6] */
export const maxUploadBytes = 7_340_032;

/** Where uploads are kept until photos are made of them. */
export interface UploadServices {
  readonly storage: PhotoStorage;
  readonly incoming: IncomingFiles;
}

const text = Type.String({ minLength: 1 });

const storageAuth = Type.Object(
  {
    verb: Type.Literal('POST'),
    url: Type.String({ description: 'Where to send the form, without a scheme: `//host:port/direct_upload/`.' }),
    form_data: Type.Object(
      {
        key: text,
        acl: text,
        'Content-Type': text,
        policy: text,
        signature: text,
        GoogleAccessId: text,
        file: text,
      },
      { additionalProperties: false },
    ),
    instructions: text,
  },
  { title: 'Permission to upload', additionalProperties: false },
);

/** Robots copy these fields and no others, and want each of them to be text that is not empty. [client FBOS] */
const storageAuthRoute: DeviceRoute = {
  access: 'token',
  tag: 'images',
  method: 'GET',
  path: '/api/storage_auth',
  summary: 'Get permission to upload a photo',
  // The account may be deleted at the same moment.
  replies: { 200: storageAuth, 422: failureSchema },
  async handle(scope, call) {
    const { key, signature } = await issueKey(scope);
    return {
      verb: 'POST',
      url: `//${call.host}/direct_upload/`,
      form_data: {
        key: clientKey(key),
        acl: 'public-read',
        'Content-Type': 'image/jpeg',
        policy: 'N/A',
        signature,
        GoogleAccessId: 'N/A',
        file: 'REPLACE_THIS_WITH_A_BINARY_JPEG_FILE',
      },
      instructions:
        'Send form_data as multipart/form-data to url, within an hour, with a JPEG of at most 7 MiB as file. Then POST to /api/images with the address url + key as attachment_url.',
    };
  },
};

const formSchema = Type.Object(
  { key: text, signature: Type.Optional(text), file: Type.String({ format: 'binary' }) },
  { title: 'Upload' },
);

/** What became of an upload's file while its form was read. */
interface Arrival {
  received: ReceivedFile | null;
  readonly inspection: JpegInspection;
}

/** Says why a file is not taken, or nothing. */
function problemOf({ received, inspection }: Arrival): Failure | null {
  if (!received) return new Failure('bad_request', 'The form must have a file.');
  if (received.isCut) return new Failure('body_too_large', `The file is too large (at most ${maxUploadBytes} bytes).`);
  if (!inspection.isJpeg) return new Failure('unsupported_type', 'The file is no JPEG.');
  if (!inspection.isWhole) return new Failure('unsupported_type', 'The file is no whole JPEG: its end is missing.');
  const { width, height } = inspection;
  return width * height > maxPixels || Math.max(width, height) > maxSideLength
    ? new Failure(
        'body_too_large',
        `The picture is too large (at most ${maxPixels / 1e6} megapixels, and ${maxSideLength} pixels a side).`,
      )
    : null;
}

/** Takes the file of a form if its key allows it. The key comes first: nobody without one learns anything about files. */
async function upload(server: ServerScope, call: Call, { storage, incoming }: UploadServices): Promise<void> {
  const arrival: Arrival = { received: null, inspection: new JpegInspection() };
  try {
    const type = call.headers['content-type'];
    const fields = await readUploadForm(
      call.bodyStream,
      typeof type === 'string' ? type : undefined,
      maxUploadBytes,
      async (content, before) => {
        const key = before.get('key');
        if (key) await admitted(server, key, before.get('signature'));
        arrival.received = await incoming.receive(content, maxUploadBytes, (chunk) => arrival.inspection.see(chunk));
      },
    );
    const key = fields.get('key');
    if (!key) throw new Failure('bad_request', 'The form must have a key.');
    const row = await admitted(server, key, fields.get('signature'));
    const problem = problemOf(arrival);
    if (problem) throw problem;
    if (!arrival.received) return;
    const place = uploadFile(row.device_id, row.key);
    await storage.putFile(place, arrival.received.path);
    try {
      await server.transaction((scope) => noteUploaded(scope, row));
    } catch (error) {
      // Its device was deleted meanwhile, and nobody else would delete the file.
      if (error instanceof Failure) await storage.delete(place);
      throw error;
    }
  } finally {
    if (arrival.received) await incoming.drop(arrival.received);
  }
}

const directUpload = (services: UploadServices): PublicRoute => ({
  access: 'public',
  tag: 'images',
  method: 'POST',
  path: '/direct_upload',
  summary: 'Upload a photo with a key from `GET /api/storage_auth`',
  transaction: false,
  acceptsAnyVersion: true,
  body: { rule: 'stream', schema: formSchema },
  replies: {
    200: 'empty',
    400: failureSchema,
    401: failureSchema,
    415: failureSchema,
  },
  async handle(server, call) {
    await upload(server, call, services);
    return emptyReply;
  },
});

const nothing = new Reply('', jsonContentType, 404);

const readUpload = ({ storage }: UploadServices): PublicRoute => ({
  access: 'public',
  tag: 'images',
  method: 'GET',
  path: '/direct_upload/temp/:name',
  summary: 'Get an upload as it was sent',
  params: Type.Object({ name: text }),
  acceptsAnyVersion: true,
  replies: { 200: 'binary', 404: 'empty' },
  async handle(server, call) {
    const key = keyFrom(`temp/${call.params.name}`);
    const row = key === null ? undefined : await uploadedWith(server, key);
    const file = row ? await storage.get(uploadFile(row.device_id, row.key)) : null;
    if (!file) return nothing;
    const headers = { 'cache-control': 'no-cache', 'content-disposition': 'inline' };
    return new StreamedReply(file.content, 'image/jpeg', { length: file.length, headers });
  },
});

/** Permission to upload, uploading, and reading what was uploaded. */
export const uploadRoutes = (services: UploadServices): Route[] => [
  storageAuthRoute,
  directUpload(services),
  readUpload(services),
];
