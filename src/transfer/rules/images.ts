import type { Timestamp } from '../../core/clock.ts';
import type { Message } from '../../core/message.ts';
import { sentences } from '../../core/message.ts';
import type { QuotaUsage } from '../../core/quotas.ts';
import { sizeText } from '../../core/size-text.ts';
import type { ServerFetch } from '../../engine/server-fetch.ts';
import { FetchFailure } from '../../engine/server-fetch.ts';
import type { PhotoMeta } from '../../photos/images.ts';
import { images, placeholderPath } from '../../photos/images.ts';
import { say as sayOfPhoto } from '../../photos/messages.ts';
import type { PreparedPhoto } from '../../photos/photo-records.ts';
import { createPhoto, discardPreparedPhoto, preparePhoto } from '../../photos/photo-records.ts';
import { readStoredFile } from '../../photos/photo-storage.ts';
import { parsePhotoUrl, rewritePhotoOrigins } from '../../photos/photo-urls.ts';
import { UnreadablePictureError } from '../../photos/pictures.ts';
import { photoFile } from '../../photos/storage-keys.ts';
import { maxUploadBytes } from '../../photos/upload-routes.ts';
import type { ImportArchive } from '../account-archive.ts';
import { maxArchiveEntries, maxPhotoSize } from '../account-archive.ts';
import type { Entry, EntryList } from '../import-entries.ts';
import type { ImportRemarks } from '../import-report.ts';
import { say } from '../messages.ts';
import type {
  FileSources,
  ImportContext,
  NewIds,
  RecordFiles,
  RecordWriter,
  TransferRules,
} from '../transfer-rules.ts';

/** The photos that an account keeps during an import, and its quotas. */
interface PhotoAllowance {
  readonly photos: QuotaUsage;
  readonly photo_bytes: QuotaUsage;
}

/** Reads the allowance of an import. One that replaces the account keeps none of its photos. */
async function photoAllowance({
  scope,
  mode,
  quotas,
}: Pick<ImportContext, 'scope' | 'mode' | 'quotas'>): Promise<PhotoAllowance> {
  const usage = async (name: keyof PhotoAllowance): Promise<QuotaUsage> => ({
    used: mode === 'replace' ? 0 : await quotas.used(scope, name),
    limit: await quotas.limit(scope, name),
  });
  return { photos: await usage('photos'), photo_bytes: await usage('photo_bytes') };
}

/** Returns the reason why so many more photos with so many bytes are too much, or null. */
function photoProblem({ photos, photo_bytes }: PhotoAllowance, count: number, bytes: number): Message | null {
  if (count === 0) return null;
  if (photos.used + count > photos.limit)
    return sentences([say.manyPhotos(photos.limit, photos.used + count), say.fewerPhotos]);
  return photo_bytes.used + bytes > photo_bytes.limit
    ? sentences([
        say.photoBytes(sizeText(photo_bytes.limit), sizeText(photo_bytes.used + bytes, Math.ceil)),
        say.fewerPhotos,
      ])
    : null;
}

const fetchConcurrency = 4;

/** Timeout of one photo, in ms. */
const photoTimeout = 20_000;

/** Consecutive timeouts after which a host is not contacted again. */
const maxHostTimeouts = 2;

/** Total time of an import's fetches, in ms: initially, for each fetched photo, and at most. Other imports are waiting. */
const initialBudget = 60_000;
const budgetPerPhoto = 2_000;
const maxBudget = 600_000;

/** A photo that is not available, with the reason as a sentence. */
export class UnavailablePhotoError extends Error {
  readonly sentence: Message;

  constructor(sentence: Message) {
    super(String(sentence));
    this.sentence = sentence;
  }
}

/** Fetches the photos of an import with a total time budget, and a circuit breaker for each host. */
export class PhotoFetcher {
  readonly #fetch: ServerFetch;
  readonly #now: () => number;
  readonly #startedAt: number;
  #fetched = 0;
  /** The number of timeouts since the last response, by host. */
  readonly #timeouts = new Map<string, number>();

  /** `now`: a monotonic clock, in ms. */
  constructor(fetch: ServerFetch, now = () => performance.now()) {
    this.#fetch = fetch;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Fetches the photo at a URL. Rejects with FetchFailure, or with {@link UnavailablePhotoError}. */
  async fetch(url: string): Promise<Buffer> {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const timeouts = this.#timeouts.get(host) ?? 0;
    if (timeouts >= maxHostTimeouts) throw new UnavailablePhotoError(say.silentHost);
    const budget = Math.min(initialBudget + this.#fetched * budgetPerPhoto, maxBudget);
    const remaining = budget - (this.#now() - this.#startedAt);
    if (remaining <= 0) throw new UnavailablePhotoError(say.noTime);
    const limits = { maxBytes: maxUploadBytes, timeout: Math.min(remaining, photoTimeout) };
    const { status, isTruncated, body } = await this.#fetch(url, limits).catch((error: unknown) => {
      if (error instanceof FetchFailure && error.reason === 'timeout') this.#timeouts.set(host, timeouts + 1);
      throw error;
    });
    this.#timeouts.delete(host);
    if (status < 200 || status > 299) throw new UnavailablePhotoError(sayOfPhoto.status(status));
    // Only a photo extends the budget.
    this.#fetched++;
    if (isTruncated) throw new UnavailablePhotoError(sayOfPhoto.largePhoto(sizeText(maxUploadBytes)));
    return body;
  }
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether the photo of an image had been uploaded to the exporting server. */
const isUploaded = ({ values }: Entry): boolean =>
  (values.attachment_processed_at ?? null) !== null && !textOrEmpty(values.attachment_url).includes(placeholderPath);

/** The files of imported photos, from the archive, this server's storage, or the address in the document. */
class PhotoFiles implements RecordFiles {
  readonly #list: EntryList;
  readonly #sources: FileSources;
  readonly #prepared = new Map<number, PreparedPhoto>();

  constructor(list: EntryList, sources: FileSources) {
    this.#list = list;
    this.#sources = sources;
  }

  async prepare(archive: ImportArchive | null, remarks: ImportRemarks): Promise<void> {
    const { scope, storage } = this.#sources;
    const allowance = await photoAllowance(this.#sources);
    const pending = [...this.#list.entries];
    const failed = new Map<Entry, Message>();
    let size = 0;
    let problem: Message | null = null;
    const fetcher = new PhotoFetcher(this.#sources.fetch);
    const work = async (): Promise<void> => {
      for (let entry = pending.shift(); entry; entry = pending.shift()) {
        try {
          this.#sources.assertRoom();
          const archived = await archive?.photo(entry.id);
          const bytes = archived ?? (await this.#read(textOrEmpty(entry.values.attachment_url), fetcher));
          const prepared = await preparePhoto(storage, scope.deviceId, bytes);
          this.#prepared.set(entry.id, prepared);
          size += prepared.byte_size;
          problem ??= photoProblem(allowance, this.#prepared.size, size);
          // No more photos are prepared.
          if (problem !== null) pending.length = 0;
        } catch (error) {
          failed.set(entry, reasonOf(error));
        }
      }
    };
    const results = await Promise.allSettled(Array.from({ length: fetchConcurrency }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (problem !== null) remarks.problem(`/${this.#list.key}`, problem);
    this.#list.entries = this.#list.entries.filter((entry) => {
      const reason = failed.get(entry);
      if (reason !== undefined) remarks.lost(entry.path, say.omittedPhoto(reason));
      return reason === undefined;
    });
  }

  /** Reads a photo of this server from its storage, any other from its address. */
  async #read(url: string, fetcher: PhotoFetcher): Promise<Buffer> {
    const { storage } = this.#sources;
    const own = parsePhotoUrl(url);
    const file = own && (await storage.get(photoFile(own.deviceId, own.key, own.type, 'full')));
    return file ? readStoredFile(file, maxPhotoSize) : fetcher.fetch(url);
  }

  async insert({ scope, slices }: RecordWriter): Promise<NewIds> {
    const ids = new Map<number, number>();
    for (const { id, values, createdAt } of this.#list.entries) {
      await slices.pause();
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
    const { scope, storage } = this.#sources;
    for (const prepared of this.#prepared.values())
      await discardPreparedPhoto(storage, scope.deviceId, prepared).catch((error: unknown) =>
        scope.log.warn({ reason: String(error) }, 'deleting the files of a failed import failed'),
      );
  }
}

/** Returns the reason why a photo is not available. Rethrows errors of the server itself. */
function reasonOf(error: unknown): Message {
  if (error instanceof UnavailablePhotoError) return error.sentence;
  if (error instanceof FetchFailure) return say.failedFetch(error.reason);
  if (error instanceof UnreadablePictureError) return error.sentence;
  throw error;
}

export const imageRules: TransferRules = {
  resource: images,
  exportedList: (list, { origin }) => rewritePhotoOrigins(origin, list),
  isHistory: true,
  maxImported: maxArchiveEntries,
  async check(list, context) {
    const { archive, remarks } = context;
    list.entries = list.entries.filter((entry) => {
      if (archive?.has(entry.id) || isUploaded(entry)) return true;
      remarks.omitted(entry.path, say.noPhoto);
      return false;
    });
    for (const id of archive?.photoIds ?? []) if (!list.ids.has(id)) remarks.omitted(`/${list.key}`, say.noImage(id));
    // The sizes of others are known when they were fetched.
    const size = list.entries.reduce((sum, { id }) => sum + (archive?.photoSize(id) ?? 0), 0);
    const problem = photoProblem(await photoAllowance(context), list.entries.length, size);
    if (problem !== null) remarks.problem(`/${list.key}`, problem);
  },
  files: (list, sources) => new PhotoFiles(list, sources),
};
