import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry as ZipEntry, ZipFile } from 'yauzl';
import { openPromise } from 'yauzl';
import { Failure, refused } from '../core/errors.ts';
import { documentName } from './export-archive.ts';
import { greatestRatio, largestJson, largestPhoto, largestUnpacked, mostEntries } from './import-limits.ts';

/** A photo inside an archive: `photos/<image id>.<ending>`. */
const photoForm = /^photos\/([1-9]\d{0,14})\.[A-Za-z0-9]{1,5}$/;

const broken = (): Failure => refused('The archive is damaged, or no ZIP archive.');

const unpacksTooFar = (): Failure => refused('The archive unpacks to more than an import takes.');

/**
 * A ZIP archive that somebody sent: `export.json` and photos by the ids of their images, and nothing else. What its headers
 * promise is believed only where it makes the archive worse; what is unpacked is counted.
 */
export class ImportArchive {
  readonly #zip: ZipFile;
  readonly #document: ZipEntry;
  readonly #photos: ReadonlyMap<number, ZipEntry>;
  /** Bytes that all photos together may still unpack to. */
  #left: number;

  private constructor(zip: ZipFile, document: ZipEntry, photos: ReadonlyMap<number, ZipEntry>) {
    this.#zip = zip;
    this.#document = document;
    this.#photos = photos;
    this.#left = mostUnpackedOf(zip);
  }

  /** Opens an archive and looks at the names of all that is in it. Throws 422. */
  static async open(path: string): Promise<ImportArchive> {
    const zip = await openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true }).catch(() => {
      throw broken();
    });
    try {
      return await ImportArchive.#read(zip);
    } catch (error) {
      zip.close();
      throw error instanceof Failure ? error : broken();
    }
  }

  static async #read(zip: ZipFile): Promise<ImportArchive> {
    if (zip.entryCount > mostEntries) throw refused(`The archive holds more than ${mostEntries} files.`);
    let document: ZipEntry | null = null;
    const photos = new Map<number, ZipEntry>();
    let promised = 0;
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName === 'photos/') continue;
      const id = Number(photoForm.exec(fileName)?.[1] ?? 0);
      if (id === 0 && fileName !== documentName)
        throw refused(`The archive holds a file that is not part of an export.`);
      if (entry.isEncrypted()) throw refused('The archive is encrypted.');
      if (!entry.canDecodeFileData()) throw refused('The archive is packed in a way that is not known here.');
      if (id === 0 ? document !== null : photos.has(id)) throw refused('The archive holds a file twice.');
      if (id === 0) document = entry;
      else {
        photos.set(id, entry);
        promised += entry.uncompressedSize;
      }
    }
    if (!document) throw refused(`The archive holds no ${documentName}.`);
    if (document.uncompressedSize > largestJson || promised > mostUnpackedOf(zip)) throw unpacksTooFar();
    return new ImportArchive(zip, document, photos);
  }

  /** Ids of the images whose photos are there. */
  get photoIds(): readonly number[] {
    return [...this.#photos.keys()];
  }

  has(imageId: number): boolean {
    return this.#photos.has(imageId);
  }

  /** Unpacks the document to a new file. Throws 422 when it is too large or damaged. */
  async extractDocument(path: string): Promise<void> {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of this.#unpacked(this.#document, largestJson)) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  }

  /** The bytes of a photo; null when it is not in the archive. Throws 422 when it is too large or damaged. */
  async photo(imageId: number): Promise<Buffer | null> {
    const entry = this.#photos.get(imageId);
    if (!entry) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#photo(entry)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Unpacks all photos only to see that it can be done. Throws 422. Afterwards they may be unpacked once more. */
  async verify(): Promise<void> {
    const left = this.#left;
    for (const entry of this.#photos.values()) for await (const _chunk of this.#photo(entry));
    this.#left = left;
  }

  async *#photo(entry: ZipEntry): AsyncGenerator<Buffer> {
    for await (const chunk of this.#unpacked(entry, largestPhoto)) {
      this.#left -= chunk.length;
      if (this.#left < 0) throw unpacksTooFar();
      yield chunk;
    }
  }

  async *#unpacked(entry: ZipEntry, most: number): AsyncGenerator<Buffer> {
    let size = 0;
    let sum = 0;
    let content: Readable | null = null;
    try {
      content = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of content as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > most) throw unpacksTooFar();
        sum = crc32(chunk, sum);
        yield chunk;
      }
      if (sum !== entry.crc32) throw broken();
    } catch (error) {
      throw error instanceof Failure ? error : broken();
    } finally {
      content?.destroy();
    }
  }

  close(): void {
    this.#zip.close();
  }
}

/** Bytes that the photos of an archive may unpack to. */
const mostUnpackedOf = ({ fileSize }: ZipFile): number =>
  Math.min(largestUnpacked, fileSize * greatestRatio + 1024 * 1024);
