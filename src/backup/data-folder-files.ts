import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databasePath } from '../db/open.ts';
import { incomingFolder } from '../photos/photo-folders.ts';
import type { OmittedFile } from './archive-format.ts';
import type { ArchivedFile } from './archive-writer.ts';

/** The file by which a running server holds its data folder. */
export const lockFile = 'serve.lock';

/** The database as it was before earlier updates of the program. */
const copiesFolder = 'copies';

/** What somebody sends to be imported, while it is worked on. */
const importsFolder = 'imports';

/** Photos on their way into the storage: nothing names them yet. */
const arrivals = incomingFolder('');

/** Files that are being written, here or by a restoration that was cut off; also the copy of a database that a back-up works on, and what SQLite keeps beside it. */
const isUnfinished = (name: string): boolean =>
  name.startsWith('.') || /\.(part|partial(\.sqlite(-[a-z]+)?)?)$/.test(name);

/** Every file of a data folder but its database, folder by folder; what else is there is told in `leftOut`. */
export async function* dataFolderFiles(folder: string, leftOut: OmittedFile[]): AsyncGenerator<ArchivedFile> {
  const database = databasePath('');
  for (const name of (await readdir(folder)).sort()) {
    const isPassing = name === lockFile || name === importsFolder || isUnfinished(name);
    if (isPassing || name.startsWith(database)) continue;
    if (name === copiesFolder) {
      leftOut.push({ path: name, reason: 'the database as it was before earlier updates of the program' });
      continue;
    }
    const source = join(folder, name);
    // Folders are often links to a larger disk; deeper links are nothing that the server makes.
    const facts = await stat(source).catch(() => null);
    if (facts?.isDirectory()) yield* filesBelow(folder, name, leftOut);
    else if (facts?.isFile()) yield { path: name, source };
    else leftOut.push({ path: name, reason: 'not a file' });
  }
}

async function* filesBelow(folder: string, path: string, leftOut: OmittedFile[]): AsyncGenerator<ArchivedFile> {
  const entries = await readdir(join(folder, path), { withFileTypes: true }).catch((error: unknown) => {
    // A photo that was deleted meanwhile.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = `${path}/${entry.name}`;
    if (isUnfinished(entry.name) || inner === arrivals) continue;
    if (entry.isDirectory()) yield* filesBelow(folder, inner, leftOut);
    else if (entry.isFile()) yield { path: inner, source: join(folder, inner) };
    else leftOut.push({ path: inner, reason: 'not a file' });
  }
}
