import { users } from '../accounts/users.ts';
import type { DeviceScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonContentType, jsonReply, Reply, StreamedReply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { accountExportMail } from '../mail/account-export.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountDocument } from './account-document.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportDocument } from './export-document.ts';
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

const exportMailJob = 'account_export_mail';

/** Enqueues a mail with the account to each of its users. Each is a job, so that it is retried alone. */
export function mailExports(scope: DeviceScope, queue: JobQueue): Promise<void> {
  const { deviceId } = scope;
  return scope.transaction(async (inner) => {
    for (const { id } of await inner.rows(users))
      await queue.enqueue(inner.server, exportMailJob, { user_id: id }, { deviceId, maxAttempts: maxMailAttempts });
  });
}

interface ExportMailDependencies {
  readonly document: ExportDocument;
  readonly mail: Pick<MailTransport, 'send'>;
  /** Returns the configured address: that of a request could be forged. */
  readonly address: () => ServerAddress;
}

/** The job that mails the current state of an account to a user. */
export const exportMails = ({ document, mail, address }: ExportMailDependencies): JobDefinition => ({
  kind: exportMailJob,
  // An exported account is held in memory.
  concurrency: 1,
  async handle(server, { user_id: id }) {
    const user = typeof id === 'number' ? await server.first(users, { where: { id } }) : undefined;
    if (!user) return;
    const { text } = await document.read(server.device(user.device_id), address());
    await mail.send(accountExportMail(user.email, user.name ?? user.email, Buffer.from(text)));
  },
});
