import type { Timestamp } from '../../core/clock.ts';
import type { DeviceScope } from '../../db/scope.ts';
import { FetchFailure } from '../../engine/server-fetch.ts';
import type { PhotoMeta } from '../../photos/images.ts';
import { images, placeholderPath } from '../../photos/images.ts';
import type { PreparedPhoto } from '../../photos/photo-records.ts';
import { createPhoto, discardPreparedPhoto, preparePhoto } from '../../photos/photo-records.ts';
import { readStoredFile } from '../../photos/photo-storage.ts';
import { parsePhotoUrl, rewritePhotoOrigins } from '../../photos/photo-urls.ts';
import { UnreadablePictureError } from '../../photos/pictures.ts';
import { photoFile } from '../../photos/storage-keys.ts';
import { maxUploadBytes } from '../../photos/upload-routes.ts';
import type { Entry, EntryList } from '../import-entries.ts';
import { maxArchiveEntries, maxPhotoSize } from '../import-limits.ts';
import type { ImportRemarks } from '../import-report.ts';
import { PhotoFetcher, SkippedFetchError } from '../photo-fetcher.ts';
import type { FileArchive, FileSources, RecordFiles, RecordWriter, TransferRules } from '../transfer-rules.ts';

const fetchConcurrency = 4;

/** A photo that is not available, with the reason as a sentence. */
class UnavailablePhotoError extends Error {}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether the photo of an image had been uploaded to the exporting server. */
const isUploaded = ({ values }: Entry): boolean =>
  (values.attachment_processed_at ?? null) !== null && !textOrEmpty(values.attachment_url).includes(placeholderPath);

/** The files of imported photos, from the archive, this server's storage, or the address in the document. */
class PhotoFiles implements RecordFiles {
  readonly #sources: FileSources;
  readonly #scope: DeviceScope;
  readonly #prepared = new Map<number, PreparedPhoto>();

  constructor(sources: FileSources, scope: DeviceScope) {
    this.#sources = sources;
    this.#scope = scope;
  }

  async prepare(list: EntryList, archive: FileArchive | null, remarks: ImportRemarks): Promise<void> {
    const pending = [...list.entries];
    const failed = new Map<Entry, string>();
    const fetcher = new PhotoFetcher({ fetch: this.#sources.fetch, maxBytes: maxUploadBytes });
    const work = async (): Promise<void> => {
      for (let entry = pending.shift(); entry; entry = pending.shift()) {
        try {
          const archived = await archive?.photo(entry.id);
          const bytes = archived ?? (await this.#read(textOrEmpty(entry.values.attachment_url), fetcher));
          this.#prepared.set(entry.id, await preparePhoto(this.#sources.storage, this.#scope.deviceId, bytes));
        } catch (error) {
          failed.set(entry, reasonOf(error));
        }
      }
    };
    const results = await Promise.allSettled(Array.from({ length: fetchConcurrency }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    list.entries = list.entries.filter((entry) => {
      const reason = failed.get(entry);
      if (reason !== undefined) remarks.lost(entry.path, `This photo was omitted: ${reason}`);
      return reason === undefined;
    });
  }

  /** Reads a photo of this server from its storage, any other from its address. */
  async #read(url: string, fetcher: PhotoFetcher): Promise<Buffer> {
    const { storage } = this.#sources;
    const own = parsePhotoUrl(url);
    const file = own && (await storage.get(photoFile(own.deviceId, own.key, own.type, 'full')));
    if (file) return readStoredFile(file, maxPhotoSize);
    const { status, isTruncated, body } = await fetcher.fetch(url);
    if (status < 200 || status > 299) throw new UnavailablePhotoError(`Its address returned status ${status}.`);
    if (isTruncated) throw new UnavailablePhotoError(`It is larger than ${maxUploadBytes} bytes.`);
    return body;
  }

  async insert(entries: readonly Entry[], { scope, slices }: RecordWriter): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>();
    for (const { id, values, createdAt } of entries) {
      await slices.yield();
      const prepared = this.#prepared.get(id);
      if (!prepared) throw new Error('a photo was not prepared');
      const processed = values.attachment_processed_at as Timestamp | null;
      const image = await createPhoto(scope, prepared, {
        attachment_url: textOrEmpty(values.attachment_url),
        origin: this.#sources.origin,
        meta: values.meta as PhotoMeta,
        ...(createdAt !== null && { created_at: createdAt }),
        ...(processed !== null && { attachment_processed_at: processed }),
      });
      ids.set(id, image.id);
    }
    return ids;
  }

  /** Files that cannot be deleted now are deleted by the cleanup of the storage. */
  async discard(): Promise<void> {
    for (const prepared of this.#prepared.values())
      await discardPreparedPhoto(this.#sources.storage, this.#scope.deviceId, prepared).catch((error: unknown) =>
        this.#scope.log.warn({ reason: String(error) }, 'deleting the files of a failed import failed'),
      );
  }
}

/** Returns why a photo is not available. Rethrows errors of the server itself. */
function reasonOf(error: unknown): string {
  if (error instanceof UnavailablePhotoError || error instanceof SkippedFetchError) return error.message;
  if (error instanceof FetchFailure) return `Fetching it from its address failed (${error.reason}).`;
  if (error instanceof UnreadablePictureError) return `It is not a supported picture: ${error.message}.`;
  throw error;
}

export const imageRules: TransferRules = {
  resource: images,
  exportedList: (list, { origin }) => rewritePhotoOrigins(origin, list),
  isHistory: true,
  maxImported: maxArchiveEntries,
  check(list, { archive, remarks }) {
    list.entries = list.entries.filter((entry) => {
      if (archive?.has(entry.id) || isUploaded(entry)) return true;
      remarks.omitted(entry.path, 'The photo was never uploaded.');
      return false;
    });
    for (const id of archive?.photoIds ?? [])
      if (!list.ids.has(id))
        remarks.omitted(`/${list.key}`, `The archive contains photo ${id}, but the document has no such image.`);
  },
  files: (sources, scope) => new PhotoFiles(sources, scope),
};
