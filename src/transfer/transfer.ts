import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Passwords } from '../accounts/passwords.ts';
import type { UserActivity } from '../accounts/user-activity.ts';
import { userByEmail } from '../accounts/users.ts';
import type { Clock } from '../core/clock.ts';
import { writeDurableFile } from '../core/durable-file.ts';
import { migrations } from '../db/migrations/list.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Call, Route } from '../engine/route.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { requestOrigin } from '../photos/photo-urls.ts';
import { accountArchive } from './export-archive.ts';
import { exportMails, exportRoute } from './export-delivery.ts';
import { ExportDocument } from './export-document.ts';
import type { ImportMode, ImportReport } from './import-report.ts';
import { importRoute } from './import-route.ts';
import { ImportFolder, importsFolder } from './import-upload.ts';
import { Importer } from './importer.ts';
import type { ServerAddress } from './transfer-rules.ts';

export interface TransferDependencies {
  readonly server: () => ServerScope;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly deviceActivity: Pick<DeviceActivity, 'overlay'>;
  readonly userActivity: Pick<UserActivity, 'effectiveUpdatedAt'>;
  readonly photos: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly queue: JobQueue;
  readonly passwords: Passwords;
  readonly mail: Pick<MailTransport, 'send'>;
  /** Whether exports are mailed instead of returned. [decision 25] */
  readonly sendsMail: boolean;
  /** Deletes all records of an account. Requires a transaction. */
  deleteGarden(scope: DeviceScope): Promise<void>;
  /** Returns the `iss` of tokens for a request: `//host:port`. */
  issuer(call: Pick<Call, 'host' | 'isSecure'>): string;
  /** Returns the base URL of links in mails. */
  mailBase(): string;
}

export interface ExportOperations {
  /**
   * Writes an account to a file, with its photos as a ZIP archive or as the document alone. Returns its size in bytes; null if
   * there is no such account. Throws FileExistsError.
   */
  exportToFile(
    email: string,
    path: string,
    options: { withPhotos: boolean; replaces: boolean },
  ): Promise<number | null>;
}

export interface ImportOptions {
  readonly mode: ImportMode;
  readonly check: boolean;
  readonly strict: boolean;
}

export interface ImportOperations {
  /** Imports a file into an account. Returns null if there is no such account. Throws Failures. */
  importFile(email: string, path: string, options: ImportOptions): Promise<ImportReport | null>;
}

/** The export and import of accounts. */
export interface Transfer {
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  readonly exports: ExportOperations;
  readonly imports: ImportOperations;
  /** Deletes files of interrupted imports. Called when the server starts. */
  deleteLeftovers(): Promise<void>;
}

const day = 24 * 3600_000;

export function createTransfer(dependencies: TransferDependencies): Transfer {
  const { server, dataDir, clock, photos, fetch, queue, passwords, mail, sendsMail } = dependencies;
  const document = new ExportDocument({
    schema: migrations.at(-1)?.number ?? 0,
    device: (row) => dependencies.deviceActivity.overlay(row),
    userUpdatedAt: (id, updatedAt) => dependencies.userActivity.effectiveUpdatedAt(id, updatedAt),
  });
  const folder = new ImportFolder(join(dataDir, importsFolder), clock);
  const importer = new Importer({
    ...{ folder, document, photos, fetch, queue },
    deleteGarden: (scope) => dependencies.deleteGarden(scope),
    backupFolder: join(dataDir, 'imports-replaced'),
  });
  const address = (call: Pick<Call, 'host' | 'isSecure'>): ServerAddress => ({
    issuer: dependencies.issuer(call),
    origin: requestOrigin(call),
  });
  const publicAddress = (): ServerAddress => {
    const { host, protocol } = new URL(dependencies.mailBase());
    return address({ host, isSecure: protocol === 'https:' });
  };
  const findDevice = async (email: string): Promise<DeviceScope | null> => {
    const user = await userByEmail(server(), email);
    return user ? server().device(user.device_id) : null;
  };
  return {
    routes: [
      exportRoute({ document, photos, queue, sendsMail, address }),
      importRoute({ importer, passwords, address }),
    ],
    jobs: [
      exportMails({ document, mail, address: publicAddress }),
      { kind: 'import_sweep', interval: day, handle: () => folder.deleteLeftovers() },
    ],
    deleteLeftovers: () => folder.deleteLeftovers(),
    exports: {
      async exportToFile(email, path, { withPhotos, replaces }) {
        const scope = await findDevice(email);
        if (!scope) return null;
        const account = await document.read(scope, publicAddress());
        const content = withPhotos
          ? accountArchive(scope, account, photos)
          : Readable.from([Buffer.from(account.text)], { objectMode: false });
        return writeDurableFile(path, content, { overwrite: replaces });
      },
    },
    imports: {
      async importFile(email, path, { mode, check, strict }) {
        const scope = await findDevice(email);
        if (!scope) return null;
        const request = { mode, check, isStrict: strict, address: publicAddress() };
        return importer.import(scope, () => folder.receive(createReadStream(path)), request);
      },
    },
  };
}
