import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile as ZipReader } from 'yauzl';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { Failure, refused } from '../core/errors.ts';
import { onLateError, withLateErrors } from '../core/library-errors.ts';
import { isDiskOutage } from '../core/outage.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns } from '../db/table.ts';
import { openPhoto } from '../photos/photo-records.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { maxDocumentSize } from './import-upload.ts';
import { say } from './messages.ts';

/** The name of the document in an archive. */
export const documentName = 'export.json';

/** Files and folders that operating systems add to archives: metadata of macOS and Windows. */
const systemFile = /(?:^|\/)(?:__MACOSX\/|(?:\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$)/i;

/** Photos are named `photos/<image id>.<extension>`. */
const photoPattern = /^photos\/([1-9]\d{0,14})\.[A-Za-z0-9]{1,5}$/;

export const maxArchiveEntries = 20_000;

/** Maximum size of an uncompressed photo, in bytes. */
export const maxPhotoSize = 32 * 1024 * 1024;

/** Maximum size of all uncompressed photos of an archive, in bytes. */
const maxUncompressedSize = 4 * 1024 * 1024 * 1024;

/** Maximum compression ratio of all photos of an archive, beyond a megabyte. Photos hardly compress. */
const maxCompressionRatio = 10;

export interface AccountExport {
  /** The document as JSON. */
  readonly text: string;
  /** Returns the records with files. */
  files(): readonly StandardColumns[];
}

export interface ZipEntry {
  /** The path in the archive, with slashes. */
  readonly name: string;
  /** Buffers are compressed; streams are stored as they are, for content that is already compressed. */
  readonly content: Buffer | Readable;
  /** Time of the last modification, in ms. */
  readonly modified: number;
}

/** Readable and writable by the owner only. */
const fileMode = 0o100600;

/** Returns a ZIP archive that is created while it is read, one entry after the other. Destroying it destroys the entries. */
export function zipStream(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('the output of yazl is not a readable stream');
  const fail = (error: Error): void => {
    output.destroy(error);
  };
  zip.on('error', fail);
  output.once(
    'close',
    onLateError('yazl', (error) => fail(error as Error)),
  );
  const fill = async (): Promise<void> => {
    for await (const { name, content, modified } of entries) {
      const options = { mtime: new Date(modified), mode: fileMode };
      if (Buffer.isBuffer(content)) zip.addBuffer(content, name, { ...options, compress: true });
      else {
        const stop = (): void => void content.destroy();
        if (output.destroyed) stop();
        output.once('close', stop);
        zip.addReadStream(content, name, { ...options, compress: false });
        await finished(content, { writable: false });
        output.off('close', stop);
      }
      if (output.destroyed) return;
    }
    zip.end();
  };
  fill().catch(fail);
  return output;
}

async function* accountEntries(
  scope: DeviceScope,
  account: AccountExport,
  storage: PhotoStorage,
): AsyncGenerator<ZipEntry> {
  yield { name: documentName, content: Buffer.from(account.text), modified: scope.clock.now() };
  for (const { id, created_at } of account.files()) {
    // Skips photos that were deleted concurrently, or never uploaded.
    const photo = await openPhoto(storage, scope, id);
    if (photo)
      yield { name: `photos/${id}.${photo.extension}`, content: photo.content, modified: Date.parse(created_at) };
  }
}

/** Returns a ZIP archive of an account: the document as `export.json`, and each photo in full size as `photos/<image id>.<extension>`. */
export const accountArchive = (scope: DeviceScope, account: AccountExport, storage: PhotoStorage): Readable =>
  zipStream(accountEntries(scope, account, storage));

/** Maximum length of a file's name in a message, in characters. */
const maxShownName = 200;
const shown = (fileName: string): string => fileName.slice(0, maxShownName);

const damaged = (): Failure => refused(say.noArchive);
const damagedFile = ({ fileName }: Entry): Failure => refused(say.damagedFile(shown(fileName)));

/** An error of the disk says nothing about the archive. */
const readingFailure = (error: unknown, found = damaged()): unknown =>
  error instanceof Failure || isDiskOutage(error) ? error : found;

/** Returns the entries with content that people put into an archive. */
async function contentOf(zip: ZipReader): Promise<Entry[]> {
  if (zip.entryCount > maxArchiveEntries) throw refused(say.manyFiles(maxArchiveEntries));
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry())
    if (!entry.fileName.endsWith('/') && !systemFile.test(entry.fileName)) entries.push(entry);
  return entries;
}

/** Returns the folder of the document, with a slash at its end; empty: there is none. */
const folderOf = (entries: readonly Entry[]): string =>
  entries
    .filter(({ fileName }) => `/${fileName}`.endsWith(`/${documentName}`))
    .map(({ fileName }) => fileName.slice(0, -documentName.length))
    .sort((a, b) => a.length - b.length)[0] ?? '';

/**
 * A ZIP archive that a client sent. It may only contain `export.json` and photos, named by the ids of their images, in a folder
 * around them or not, and files that operating systems add. The sizes in its headers are not trusted: uncompressed bytes are counted.
 */
export class ImportArchive {
  readonly #zip: ZipReader;
  readonly #document: Entry;
  readonly #photos: ReadonlyMap<number, Entry>;
  /** Bytes of photos that may still be uncompressed. */
  #remaining: number;

  private constructor(zip: ZipReader, document: Entry, photos: ReadonlyMap<number, Entry>) {
    this.#zip = zip;
    this.#document = document;
    this.#photos = photos;
    this.#remaining = maxUncompressedSizeOf(zip);
  }

  /** Opens an archive and checks the names of its entries. Throws 422. */
  static async open(path: string): Promise<ImportArchive> {
    const options = { autoClose: false, lazyEntries: true } as const;
    const zip = await withLateErrors('yauzl', () => openPromise(path, options)).catch((error: unknown) => {
      throw readingFailure(error);
    });
    try {
      return await withLateErrors('yauzl', () => ImportArchive.#read(zip));
    } catch (error) {
      zip.close();
      throw readingFailure(error);
    }
  }

  static async #read(zip: ZipReader): Promise<ImportArchive> {
    const entries = await contentOf(zip);
    const folder = folderOf(entries);
    let document: Entry | null = null;
    const photos = new Map<number, Entry>();
    let declaredSize = 0;
    for (const entry of entries) {
      const { fileName } = entry;
      const name = fileName.startsWith(folder) ? fileName.slice(folder.length) : '';
      const id = Number(photoPattern.exec(name)?.[1] ?? 0);
      if (id === 0 && name !== documentName) throw refused(say.otherFile(shown(fileName)));
      if (entry.isEncrypted()) throw refused(say.encrypted(shown(fileName)));
      if (!entry.canDecodeFileData()) throw refused(say.compression(shown(fileName)));
      if (id === 0 ? document !== null : photos.has(id)) throw refused(say.fileTwice(shown(fileName)));
      if (id === 0) document = entry;
      else {
        photos.set(id, entry);
        declaredSize += entry.uncompressedSize;
      }
    }
    if (!document) throw refused(say.noFile(documentName));
    if (document.uncompressedSize > maxDocumentSize) throw refused(say.largeFile(documentName));
    if (declaredSize > maxUncompressedSizeOf(zip)) throw refused(say.largeArchive);
    return new ImportArchive(zip, document, photos);
  }

  /** The ids of images with a photo. */
  get photoIds(): readonly number[] {
    return [...this.#photos.keys()];
  }

  /** The declared size of an uncompressed photo, in bytes; 0 if it is not in the archive. */
  photoSize(imageId: number): number {
    return this.#photos.get(imageId)?.uncompressedSize ?? 0;
  }

  has(imageId: number): boolean {
    return this.#photos.has(imageId);
  }

  /** Extracts the document to a new file. Throws 422 if it is too large or damaged. */
  async extractDocument(path: string): Promise<void> {
    await writeFile(path, this.#uncompressed(this.#document, maxDocumentSize), { flag: 'wx', mode: 0o600 });
  }

  /** Returns the content of a photo; null if it is not in the archive. Throws 422 if it is too large or damaged. */
  async photo(imageId: number): Promise<Buffer | null> {
    const entry = this.#photos.get(imageId);
    return entry ? buffer(this.#photoChunks(entry)) : null;
  }

  /** Uncompresses all photos to check them. Throws 422. They can be uncompressed again afterwards. */
  async verify(): Promise<void> {
    const remaining = this.#remaining;
    for (const entry of this.#photos.values()) for await (const _chunk of this.#photoChunks(entry));
    this.#remaining = remaining;
  }

  async *#photoChunks(entry: Entry): AsyncGenerator<Buffer> {
    for await (const chunk of this.#uncompressed(entry, maxPhotoSize)) {
      this.#remaining -= chunk.length;
      if (this.#remaining < 0) throw refused(say.largeArchive);
      yield chunk;
    }
  }

  async *#uncompressed(entry: Entry, maxSize: number): AsyncGenerator<Buffer> {
    let size = 0;
    let checksum = 0;
    let content: Readable | null = null;
    const end = onLateError('yauzl', () => content?.destroy(damagedFile(entry)));
    try {
      content = await withLateErrors('yauzl', () => this.#zip.openReadStreamPromise(entry));
      for await (const chunk of content as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxSize) throw refused(say.largeFile(shown(entry.fileName)));
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
      if (checksum !== entry.crc32) throw damagedFile(entry);
    } catch (error) {
      throw readingFailure(error, damagedFile(entry));
    } finally {
      end();
      content?.destroy();
    }
  }

  close(): void {
    this.#zip.close();
  }
}

/** Returns the maximum of bytes of all photos of an archive. */
const maxUncompressedSizeOf = ({ fileSize }: ZipReader): number =>
  Math.min(maxUncompressedSize, fileSize * maxCompressionRatio + 1024 * 1024);
