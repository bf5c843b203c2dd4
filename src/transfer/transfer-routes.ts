import { roleIn } from '../accounts/members.ts';
import { verifyPassword } from '../accounts/password-verification.ts';
import type { AccountServices } from '../accounts/services.ts';
import { currentUser, userUnlessPasswordChanged } from '../accounts/sessions.ts';
import type { UserRow } from '../accounts/users.ts';
import { ownersOf, recipientOf, userOfJob } from '../accounts/users.ts';
import { Failure, invalid } from '../core/errors.ts';
import { siteOf } from '../core/ip-addresses.ts';
import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import { pageLanguage } from '../engine/page-language.ts';
import { assertRole } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonContentType, jsonReply, Reply, StreamedReply } from '../engine/route.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { accountExportMail } from '../mail/account-export.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { accountArchive } from './account-archive.ts';
import type { ExportDocument } from './account-document.ts';
import { accountDocument } from './account-document.ts';
import type { ImportMode } from './import-report.ts';
import { importModes, reportSchema } from './import-report.ts';
import { maxArchiveSize, maxDocumentSize } from './import-upload.ts';
import type { Importer } from './importer.ts';
import { say } from './messages.ts';
import { importTable } from './tables/table-import.ts';
import type { ServerAddress } from './transfer-rules.ts';

/** The functions that read and write whole accounts, for requests and commands. */
export interface AccountTransfer {
  readonly document: ExportDocument;
  readonly importer: Importer;
  crops(): Promise<CropSearch>;
  readonly photos: PhotoStorage;
  /** Returns the address that a client uses. */
  address(call: Call): ServerAddress;
  /** Returns the configured address, for mails: a request's could be forged. */
  publicAddress(): ServerAddress;
}

/** The services of the routes and the job of this room. */
export interface TransferServices extends AccountTransfer {
  readonly accounts: AccountServices;
  readonly queue: JobQueue;
  readonly quotas: Quotas;
  readonly mail: MailTransport;
  /** Whether exports are mailed instead of returned. [decision 25] */
  readonly sendsMail: boolean;
}

const exportSchema = Type.Object(
  {
    export_created_at: Type.String({
      description: 'A time with its offset from UTC.',
      examples: ['2026-04-01T08:00:00.000+00:00'],
    }),
    server_url: Type.String({
      description: 'The address of this server, without the scheme.',
      examples: ['//localhost:3000'],
    }),
    database_schema: Type.Integer({
      description: 'The newest migration of its database, 14 digits.',
      examples: [20_261_121_000_000],
    }),
    ...Object.fromEntries(
      accountDocument
        .filter(({ kind }) => kind !== 'metadata')
        .map(({ kind, key }) => [
          key,
          kind === 'list' || kind === 'users' ? Type.Array(Type.AnyObject(), { examples: [[]] }) : Type.AnyObject(),
        ]),
    ),
  },
  { $id: 'AccountExport', description: 'All data of an account.' },
);

/** `POST /api/export_data`: returns or mails the account; with photos, always returns a ZIP archive. [rule T1] */
export const exportRoute = ({
  document,
  photos,
  queue,
  quotas,
  sendsMail,
  address,
}: TransferServices): DeviceRoute => ({
  access: 'token',
  tag: 'Account',
  method: 'POST',
  path: '/api/export_data',
  transaction: false,
  summary: 'Export the account: returns it, or mails it to its owners if the server has a mail server',
  description:
    'Returns all data of the account as one document. If the server has a mail server, it is mailed instead (202), unless `photos` requests an archive.',
  body: { rule: 'json', schema: { description: 'Ignored.', examples: [{}] } },
  query: Type.Object({
    photos: Type.Optional(Type.Boolean({ description: 'Returns a ZIP archive with the document and all photos.' })),
  }),
  replies: { 200: exportSchema, 202: Type.Null() },
  streamedType: 'application/zip',
  async handle(scope, call) {
    const withPhotos = call.query.photos === 'true';
    await quotas.consume(scope, 'exports_per_hour');
    if (sendsMail && !withPhotos) {
      await mailExports(scope, queue, pageLanguage(call));
      return new Reply('null', jsonContentType, 202);
    }
    const account = await document.read(scope, address(call));
    if (!withPhotos) return jsonReply(account.text);
    const headers = { 'content-disposition': 'attachment; filename="export.zip"' };
    return new StreamedReply(accountArchive(scope, account, photos), 'application/zip', { headers });
  },
});

const exportMailJob = 'account_export_mail';

/** Enqueues a mail with the account to each of its owners. Each is a job, so that it is retried alone. */
function mailExports(scope: DeviceScope, queue: JobQueue, language: Language | null): Promise<void> {
  const { deviceId } = scope;
  return scope.transaction(async (inner) => {
    for (const { id } of await ownersOf(inner.server, deviceId)) {
      const payload = { user_id: id, device_id: deviceId, language };
      await queue.enqueue(inner.server, exportMailJob, payload, { deviceId, maxAttempts: maxMailAttempts });
    }
  });
}

/** The job that mails the current state of an account to an owner. */
export const exportMails = ({ document, mail, publicAddress }: TransferServices): JobDefinition => ({
  kind: exportMailJob,
  waitsFor: 'mail',
  // An exported account is held in memory.
  concurrency: 1,
  async handle(server, payload) {
    const user = await userOfJob(server, payload);
    if (!user) return;
    const { device_id, language } = payload;
    // Jobs of version 0.1.0 name no device.
    const deviceId = typeof device_id === 'number' ? device_id : user.device_id;
    if ((await roleIn(server, user, deviceId)) !== 'owner') return;
    const { text } = await document.read(server.device(deviceId), publicAddress());
    await mail.send(accountExportMail(recipientOf(user, language), user.name ?? user.email, Buffer.from(text)));
  },
});

/** The header with the user's password, for replacing an account. A query parameter would be logged. */
const passwordHeader = 'x-account-password';

/** The failure where the password is wrong, or was not sent. */
const wrongPassword = (wasSent: boolean) =>
  invalid({
    password: wasSent ? say.wrongPassword : say.noPassword(passwordHeader),
  });

async function assertPassword(accounts: AccountServices, scope: DeviceScope, call: Call): Promise<UserRow> {
  const user = await currentUser(scope);
  const sent = call.headers[passwordHeader];
  // Clients send UTF-8, but Node decodes headers as Latin-1.
  const password = typeof sent === 'string' ? Buffer.from(sent, 'latin1').toString('utf8') : '';
  const attempt = { user, email: user.email, password };
  if (!(await verifyPassword(accounts, scope.server, call, attempt))) throw wrongPassword(password !== '');
  return user;
}

function modeOf({ mode: sent }: Call['query'], otherwise: ImportMode): ImportMode {
  if (sent === undefined) return otherwise;
  const mode = importModes.find((each) => each === sent);
  if (!mode) throw invalid({ mode: sayOfField.oneOf(labelOf('mode'), importModes.join(', ')) });
  return mode;
}

function flagOf(query: Call['query'], name: string): boolean {
  const { [name]: sent = 'false' } = query;
  if (sent !== 'true' && sent !== 'false') throw invalid({ [name]: say.noTruth });
  return sent === 'true';
}

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Returns the type of a table's body, as it was sent; null: it is no table. */
const tableType = ({ headers }: Call): string | null => {
  const type = String(headers['content-type'] ?? '');
  return /^\s*text\/(?:csv|tab-separated-values)\s*(?:;|$)/i.test(type) ? type : null;
};

/** The encoding that a type names; null: none. */
const encodingOf = (type: string): string | null => /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? null;

/** `POST /api/import`: imports a document or archive of `export_data`, from Potager or the vendor's service, or a table of points. */
export const importRoute = ({ importer, crops, accounts, quotas, address }: TransferServices): DeviceRoute => ({
  access: 'token',
  tag: 'Account',
  method: 'POST',
  path: '/api/import',
  // To replace the account needs the role of an owner.
  role: 'gardener',
  transaction: false,
  addition: true,
  summary: `Import an account: the JSON of an export (at most ${maxDocumentSize / 1024 / 1024} MiB), a ZIP archive of it with photos, or a table of plants`,
  description:
    'Stores the records of an exported document or archive, of this server or of the original service, with new ids, all of them or none. Returns what was stored, changed and left out. A body of the type `text/csv` or `text/tab-separated-values` is a table of plants, which are added (`charset` names an encoding other than UTF-8 and UTF-16): its first row names fields of points, or their labels.',
  body: { rule: 'stream', schema: Type.AnyObject(), maxSize: maxArchiveSize },
  query: Type.Object({
    mode: Type.Optional(
      Type.OneOf(importModes, {
        description: `\`empty\`: the account must be empty. \`merge\`: existing records with the same unique name or pin are used. \`replace\`: all records are deleted first, after a backup; requires the password in the header \`${passwordHeader}\`.`,
      }),
    ),
    check: flag('Only report what would be done.'),
    strict: flag('Reject a document if anything in it would be changed or lost.'),
  }),
  replies: { 200: reportSchema, 507: failureSchema },
  async handle(scope, call) {
    const table = tableType(call);
    const mode = modeOf(call.query, table === null ? 'empty' : 'merge');
    if (mode === 'replace') assertRole(call.session.rights, 'owner');
    const check = flagOf(call.query, 'check');
    const strict = flagOf(call.query, 'strict');
    const user = mode === 'replace' && !check && table === null ? await assertPassword(accounts, scope, call) : null;
    const request = {
      mode,
      check,
      strict,
      address: address(call),
      network: call.isLocal ? null : siteOf(call.address),
      async assertAllowed(inner: DeviceScope): Promise<void> {
        // While the file was received, the user may have been removed or demoted.
        const role = await roleIn(inner.server, await currentUser(inner), inner.deviceId);
        if (role === null) throw new Failure('bad_token');
        assertRole({ role, scopes: null }, mode === 'replace' ? 'owner' : 'gardener');
        if (user && !(await userUnlessPasswordChanged(inner, user))) throw wrongPassword(true);
      },
    };
    return quotas.hold(scope, 'imports_in_flight', async () =>
      table === null
        ? importer.importFile(scope, call.bodyStream, request)
        : importTable(scope, call.bodyStream, { ...request, crops: await crops(), encoding: encodingOf(table) }),
    );
  },
});
