import { Readable } from 'node:stream';
import { userByEmail } from '../accounts/users.ts';
import { writeDurableFile } from '../core/durable-file.ts';
import type { ServerScope } from '../db/scope.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportAddress, ExportDocument } from './export-document.ts';

export interface ExportOperations {
  /**
   * Writes an account to a file: with its photos as a ZIP archive, or the document alone. Gives its size in bytes; null: there
   * is no such account. Throws FileExists unless it may replace one.
   */
  exportToFile(
    email: string,
    path: string,
    options: { withPhotos: boolean; replaces: boolean },
  ): Promise<number | null>;
}

interface Parts {
  readonly server: () => ServerScope;
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly address: () => ExportAddress;
}

/** What the command line offers of exports. */
export const exportOperations = ({ server, document, photos, address }: Parts): ExportOperations => ({
  async exportToFile(email, path, { withPhotos, replaces }) {
    const user = await userByEmail(server(), email);
    if (!user) return null;
    const scope = server().device(user.device_id);
    const account = await document.read(scope, address());
    const content = withPhotos
      ? accountArchive(scope, account, photos)
      : Readable.from([Buffer.from(account.text)], { objectMode: false });
    return writeDurableFile(path, content, { overwrite: replaces });
  },
});
