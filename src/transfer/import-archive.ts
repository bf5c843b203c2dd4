import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry as ZipEntry, ZipFile } from 'yauzl';
import { openPromise } from 'yauzl';
import { Failure, refused } from '../core/errors.ts';
import { documentName } from './export-archive.ts';
import {
  maxArchiveEntries,
  maxCompressionRatio,
  maxDocumentSize,
  maxPhotoSize,
  maxUncompressedSize,
} from './import-limits.ts';
import type { FileArchive } from './transfer-rules.ts';

/** Photos are named `photos/<image id>.<extension>`. */
const photoPattern = /^photos\/([1-9]\d{0,14})\.[A-Za-z0-9]{1,5}$/;

const damaged = (): Failure => refused('The file is not a ZIP archive, or it is damaged.');

const tooLarge = (): Failure => refused('The archive is too large when uncompressed.');

/**
 * A ZIP archive that a client sent. It may only contain `export.json` and photos, named by the ids of their images. The sizes in
 * its headers are not trusted: uncompressed bytes are counted.
 */
export class ImportArchive implements FileArchive {
  readonly #zip: ZipFile;
  readonly #document: ZipEntry;
  readonly #photos: ReadonlyMap<number, ZipEntry>;
  /** How many bytes may still be uncompressed. */
  #remaining: number;

  private constructor(zip: ZipFile, document: ZipEntry, photos: ReadonlyMap<number, ZipEntry>) {
    this.#zip = zip;
    this.#document = document;
    this.#photos = photos;
    this.#remaining = maxUncompressedSizeOf(zip);
  }

  /** Opens an archive and checks the names of its entries. Throws 422. */
  static async open(path: string): Promise<ImportArchive> {
    const zip = await openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true }).catch(() => {
      throw damaged();
    });
    try {
      return await ImportArchive.#read(zip);
    } catch (error) {
      zip.close();
      throw error instanceof Failure ? error : damaged();
    }
  }

  static async #read(zip: ZipFile): Promise<ImportArchive> {
    if (zip.entryCount > maxArchiveEntries) throw refused(`The archive contains more than ${maxArchiveEntries} files.`);
    let document: ZipEntry | null = null;
    const photos = new Map<number, ZipEntry>();
    let declaredSize = 0;
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName === 'photos/') continue;
      const id = Number(photoPattern.exec(fileName)?.[1] ?? 0);
      if (id === 0 && fileName !== documentName)
        throw refused('The archive contains a file that is not part of an export.');
      if (entry.isEncrypted()) throw refused('The archive is encrypted.');
      if (!entry.canDecodeFileData()) throw refused('The archive uses an unsupported compression method.');
      if (id === 0 ? document !== null : photos.has(id)) throw refused('The archive contains a file twice.');
      if (id === 0) document = entry;
      else {
        photos.set(id, entry);
        declaredSize += entry.uncompressedSize;
      }
    }
    if (!document) throw refused(`The archive does not contain ${documentName}.`);
    if (document.uncompressedSize > maxDocumentSize || declaredSize > maxUncompressedSizeOf(zip)) throw tooLarge();
    return new ImportArchive(zip, document, photos);
  }

  /** The ids of images with a photo. */
  get photoIds(): readonly number[] {
    return [...this.#photos.keys()];
  }

  has(imageId: number): boolean {
    return this.#photos.has(imageId);
  }

  /** Extracts the document to a new file. Throws 422 if it is too large or damaged. */
  async extractDocument(path: string): Promise<void> {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of this.#uncompressed(this.#document, maxDocumentSize)) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  }

  /** Returns the content of a photo; null if it is not in the archive. Throws 422 if it is too large or damaged. */
  async photo(imageId: number): Promise<Buffer | null> {
    const entry = this.#photos.get(imageId);
    if (!entry) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#photoChunks(entry)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Uncompresses all photos to check them. Throws 422. They can be uncompressed again afterwards. */
  async verify(): Promise<void> {
    const remaining = this.#remaining;
    for (const entry of this.#photos.values()) for await (const _chunk of this.#photoChunks(entry));
    this.#remaining = remaining;
  }

  async *#photoChunks(entry: ZipEntry): AsyncGenerator<Buffer> {
    for await (const chunk of this.#uncompressed(entry, maxPhotoSize)) {
      this.#remaining -= chunk.length;
      if (this.#remaining < 0) throw tooLarge();
      yield chunk;
    }
  }

  async *#uncompressed(entry: ZipEntry, maxSize: number): AsyncGenerator<Buffer> {
    let size = 0;
    let checksum = 0;
    let content: Readable | null = null;
    try {
      content = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of content as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxSize) throw tooLarge();
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
      if (checksum !== entry.crc32) throw damaged();
    } catch (error) {
      throw error instanceof Failure ? error : damaged();
    } finally {
      content?.destroy();
    }
  }

  close(): void {
    this.#zip.close();
  }
}

/** Returns how many bytes the photos of an archive may have in total. */
const maxUncompressedSizeOf = ({ fileSize }: ZipFile): number =>
  Math.min(maxUncompressedSize, fileSize * maxCompressionRatio + 1024 * 1024);
