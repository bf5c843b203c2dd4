import Type from 'typebox';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonContentType, jsonReply, Reply, StreamedReply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountDocument } from './account-document.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportDocument } from './export-document.ts';
import { mailExports } from './export-mails.ts';
import type { ServerAddress } from './transfer-rules.ts';

export interface ExportRouteDependencies {
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly queue: JobQueue;
  /** Whether exports are mailed instead of returned. [decision 25] */
  readonly sendsMail: boolean;
  address(call: Call): ServerAddress;
}

const isArray = new Set(['list', 'users']);

const metadata = {
  export_created_at: Type.String({ description: 'A time with its offset from UTC.' }),
  server_url: Type.String({ description: 'The address of this server, without the scheme.' }),
  database_schema: Type.Integer({ description: 'The newest migration of its database, 14 digits.' }),
};

const schema = Type.Object(
  {
    ...metadata,
    ...Object.fromEntries(
      accountDocument
        .filter(({ kind }) => kind !== 'metadata')
        .map(({ kind, key }) => [key, isArray.has(kind) ? Type.Array(Type.Object({})) : Type.Object({})]),
    ),
  },
  { additionalProperties: false, title: 'Account export', description: 'All data of an account.' },
);

/** `POST /api/export_data`: returns or mails the account; with photos, always returns a ZIP archive. [rule T1] */
export const exportRoute = (dependencies: ExportRouteDependencies): DeviceRoute => ({
  access: 'token',
  tag: 'device',
  method: 'POST',
  path: '/api/export_data',
  transaction: false,
  summary: 'Export the account: returns it, or mails it to its users if the server has a mail server',
  body: { rule: 'optional', schema: Type.Object({}) },
  query: Type.Object({
    photos: Type.Optional(
      Type.String({ description: '`true`: returns a ZIP archive with the document and all photos.' }),
    ),
  }),
  replies: { 200: schema, 202: Type.Null() },
  streamedType: 'application/zip',
  async handle(scope, call) {
    const { document, photos, queue, sendsMail } = dependencies;
    const withPhotos = call.query.photos === 'true';
    if (sendsMail && !withPhotos) {
      await mailExports(scope, queue);
      return new Reply('null', jsonContentType, 202);
    }
    const account = await document.read(scope, dependencies.address(call));
    if (!withPhotos) return jsonReply(account.text);
    const headers = { 'content-disposition': 'attachment; filename="export.zip"' };
    return new StreamedReply(accountArchive(scope, account, photos), 'application/zip', { headers });
  },
});
