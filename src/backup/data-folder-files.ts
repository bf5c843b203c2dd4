import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lastBackupFile } from '../core/last-backup.ts';
import { errorCode } from '../core/system.ts';
import { isTemporaryName } from '../core/temporary-files.ts';
import { copiesFolder, databasePath } from '../db/open.ts';
import { incomingFolder } from '../photos/photo-storage.ts';
import type { OmittedFile } from './archive-format.ts';
import type { ArchivedFile } from './archive-writer.ts';
import { backupsFolder } from './backup-folder.ts';

/** The lock file of a running server. */
export const lockFile = 'serve.lock';

/** The reason why links and the like are left out. */
export const notRegular = 'not a regular file';

/** Files of imports in progress. */
const importsFolder = 'imports';

/** Uploaded photos that are not stored yet: no record refers to them. */
const incoming = incomingFolder('');

/** Whether a file is being written, was left by an interrupted restore, or belongs to a backup in progress. */
const isTemporary = (name: string): boolean => name.startsWith('.') || isTemporaryName(name);

/** Yields every file of a data folder except the database, and adds to `omitted` the files that it skips for a reason the operator should know. */
export async function* dataFolderFiles(folder: string, omitted: OmittedFile[]): AsyncGenerator<ArchivedFile> {
  const database = databasePath('');
  for (const name of (await readdir(folder)).sort()) {
    const isSkipped = name === lockFile || name === lastBackupFile || name === importsFolder || isTemporary(name);
    if (isSkipped || name.startsWith(database)) continue;
    if (name === copiesFolder('')) {
      omitted.push({ path: name, reason: 'copies of the database from before earlier upgrades' });
      continue;
    }
    if (name === backupsFolder('')) {
      omitted.push({ path: name, reason: 'earlier backups' });
      continue;
    }
    const source = join(folder, name);
    // Top-level folders are often links to a larger disk; the server creates no links below them.
    const entry = await stat(source).catch(() => null);
    if (entry?.isDirectory()) yield* filesBelow(folder, name, omitted);
    else if (entry?.isFile()) yield { path: name, source };
    else omitted.push({ path: name, reason: notRegular });
  }
}

async function* filesBelow(folder: string, path: string, omitted: OmittedFile[]): AsyncGenerator<ArchivedFile> {
  const entries = await readdir(join(folder, path), { withFileTypes: true }).catch((error: unknown) => {
    // A photo was deleted concurrently.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = `${path}/${entry.name}`;
    if (isTemporary(entry.name) || inner === incoming) continue;
    if (entry.isDirectory()) yield* filesBelow(folder, inner, omitted);
    else if (entry.isFile()) yield { path: inner, source: join(folder, inner) };
    else omitted.push({ path: inner, reason: notRegular });
  }
}
