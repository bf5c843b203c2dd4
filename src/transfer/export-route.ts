import Type from 'typebox';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonContentType, jsonReply, Reply, StreamedReply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountDocument } from './account-document.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportAddress, ExportDocument } from './export-document.ts';
import { mailExports } from './export-mails.ts';

export interface ExportServices {
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly queue: JobQueue;
  /** Exports leave by mail instead of in the answer. [decision 25] */
  readonly mails: boolean;
  address(call: Call): ExportAddress;
}

const isList = new Set(['records', 'people']);

const facts = {
  export_created_at: Type.String({ description: 'A time with its offset from UTC.' }),
  server_url: Type.String({ description: 'This server, without the scheme.' }),
  database_schema: Type.Integer({ description: 'The newest migration of its database, 14 digits.' }),
};

const schema = Type.Object(
  {
    ...facts,
    ...Object.fromEntries(
      accountDocument
        .filter(({ holds }) => holds !== 'fact')
        .map(({ holds, key }) => [key, isList.has(holds) ? Type.Array(Type.Object({})) : Type.Object({})]),
    ),
  },
  { additionalProperties: false, title: 'Account export', description: 'All data of an account.' },
);

/** The whole account: as the answer, or by mail where there is a mail server; with photos always as a ZIP archive in the answer. [reference 2] */
export const exportRoute = (services: ExportServices): DeviceRoute => ({
  access: 'token',
  tag: 'device',
  method: 'POST',
  path: '/api/export_data',
  transaction: false,
  summary: 'Export the account: as the answer, or by mail to its users where the server has a mail server',
  body: { rule: 'optional', schema: Type.Object({}) },
  query: Type.Object({
    photos: Type.Optional(
      Type.String({ description: '`true`: the answer is a ZIP archive with the document and all photos.' }),
    ),
  }),
  replies: { 200: schema, 202: Type.Null() },
  streamedType: 'application/zip',
  async handle(scope, call) {
    const { document, photos, queue, mails } = services;
    const withPhotos = call.query.photos === 'true';
    if (mails && !withPhotos) {
      await mailExports(scope, queue);
      return new Reply('null', jsonContentType, 202);
    }
    const account = await document.read(scope, services.address(call));
    if (!withPhotos) return jsonReply(account.text);
    const headers = { 'content-disposition': 'attachment; filename="export.zip"' };
    return new StreamedReply(accountArchive(scope, account, photos), 'application/zip', { headers });
  },
});
