import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { AccountServices } from '../accounts/services.ts';
import { userByEmail } from '../accounts/users.ts';
import { writeDurableFile } from '../core/durable-file.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Gardens } from '../device/gardens.ts';
import type { Origin } from '../engine/route.ts';
import { requestOrigin } from '../engine/route.ts';
import type { Foundation } from '../foundation.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { incomingFolder } from '../photos/photo-storage.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { accountArchive } from './account-archive.ts';
import { ExportDocument } from './account-document.ts';
import type { ImportOptions } from './importer.ts';
import { Importer } from './importer.ts';
import { ReplacedAccounts } from './replaced-accounts.ts';
import type { TableRequest } from './tables/table-import.ts';
import { importTable } from './tables/table-import.ts';
import type { AccountTransfer } from './transfer-routes.ts';
import type { ServerAddress } from './transfer-rules.ts';

/** The rooms that export and import depend on. */
export interface TransferDependencies {
  readonly accounts: Pick<AccountServices, 'activity' | 'addresses' | 'baseUrl'>;
  readonly deviceActivity: DeviceActivity;
  readonly storage: PhotoStorage;
  readonly quotas: Quotas;
  readonly gardens: Gardens;
  /** Finds the crops of tables. */
  crops(): Promise<CropSearch>;
}

/** Creates the functions that read and write accounts. */
export function accountTransfer(
  foundation: Foundation,
  dependencies: TransferDependencies,
): AccountTransfer & { readonly replacedAccounts: ReplacedAccounts } {
  const { dataDir } = foundation;
  const { accounts, deviceActivity, storage: photos } = dependencies;
  const document = new ExportDocument(deviceActivity, accounts.activity);
  const replacedAccounts = new ReplacedAccounts(join(dataDir, 'imports-replaced'));
  const importer = new Importer({
    ...foundation,
    ...dependencies,
    document,
    photos,
    replacedAccounts,
    folder: join(dataDir, 'imports'),
    uploadFolder: incomingFolder(dataDir),
  });
  const address = (call: Origin): ServerAddress => ({
    issuer: accounts.addresses(call).iss,
    origin: requestOrigin(call),
  });
  const publicAddress = (): ServerAddress => {
    const { host, protocol } = new URL(accounts.baseUrl());
    return address({ host, isSecure: protocol === 'https:' });
  };
  const { crops } = dependencies;
  return { document, importer, crops, photos, address, publicAddress, replacedAccounts };
}

/** The operations of the command line on whole accounts. Null: there is no such account. */
export function transferOperations(foundation: Foundation, dependencies: TransferDependencies) {
  const { server, freeSpace } = foundation;
  const { document, importer, crops, photos, publicAddress } = accountTransfer(foundation, dependencies);
  const findDevice = async (email: string): Promise<DeviceScope | null> => {
    const user = await userByEmail(server(), email);
    return user ? server().device(user.device_id) : null;
  };
  return {
    /** Writes an account to a file, with its photos as a ZIP archive or as the document alone. Returns its size in bytes. Throws FileExistsError, DiskAlmostFull. */
    async exportToFile(email: string, path: string, options: { withPhotos: boolean; replaces: boolean }) {
      const scope = await findDevice(email);
      if (!scope) return null;
      const account = await document.read(scope, publicAddress());
      const content = options.withPhotos
        ? accountArchive(scope, account, photos)
        : Readable.from([Buffer.from(account.text)], { objectMode: false });
      try {
        const guarded = Readable.from(freeSpace.guard(dirname(path), content), { objectMode: false });
        return await writeDurableFile(path, guarded, { overwrite: options.replaces });
      } finally {
        content.destroy();
      }
    },
    /** Imports a file into an account. Throws Failures. */
    async importFile(email: string, path: string, options: ImportOptions) {
      const scope = await findDevice(email);
      const request = { ...options, address: publicAddress(), network: null, maxPoints: Number.POSITIVE_INFINITY };
      return scope && importer.importFile(scope, createReadStream(path), request);
    },
    /** Adds the points of a table to an account. Throws Failures. */
    async importTable(email: string, path: string, options: ImportOptions & Pick<TableRequest, 'encoding'>) {
      const scope = await findDevice(email);
      if (!scope) return null;
      const request = { ...options, crops: await crops(), maxPoints: Number.POSITIVE_INFINITY };
      return importTable(scope, createReadStream(path), request);
    },
  };
}
