import type { Timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { PhotoMeta } from '../photos/images.ts';
import { images, placeholderPath } from '../photos/images.ts';
import type { PreparedPhoto } from '../photos/photo-records.ts';
import { createPhoto, discardPreparedPhoto, preparePhoto } from '../photos/photo-records.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { readStoredFile } from '../photos/photo-storage.ts';
import { parsePhotoUrl } from '../photos/photo-urls.ts';
import { UnreadablePictureError } from '../photos/pictures.ts';
import { photoFile } from '../photos/storage-keys.ts';
import { maxUploadBytes } from '../photos/upload-routes.ts';
import type { ImportArchive } from './import-archive.ts';
import type { EntryLists } from './import-known.ts';
import { largestPhoto } from './import-limits.ts';
import type { Entry } from './import-records.ts';
import type { ImportRemarks } from './import-report.ts';
import { Turns } from './import-turns.ts';
import { OutOfPatience, PatientFetch } from './patient-fetch.ts';

/** Photos that are fetched at once. */
const fetchesAtOnce = 4;

export interface PhotoSources {
  readonly storage: PhotoStorage;
  readonly fetch: ServerFetch;
}

/** Why there is no photo, in a sentence. */
class Unavailable extends Error {}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether an image's photo has ever arrived where the document comes from. */
const hasArrived = ({ values }: Entry): boolean =>
  (values.attachment_processed_at ?? null) !== null && !textOf(values.attachment_url).includes(placeholderPath);

/** The photos of a document: their files are made before the records, and deleted if there will be none. */
export class ImportedPhotos {
  readonly #sources: PhotoSources;
  readonly #scope: DeviceScope;
  readonly #prepared = new Map<number, PreparedPhoto>();

  constructor(sources: PhotoSources, scope: DeviceScope) {
    this.#sources = sources;
    this.#scope = scope;
  }

  /** Looks at the images without getting any photo: those whose photo never arrived are left out, and photos of no image are told. */
  static sort(lists: EntryLists, archive: ImportArchive | null, remarks: ImportRemarks): void {
    const list = lists.get(images.name);
    if (!list) return;
    list.entries = list.entries.filter((entry) => {
      if (archive?.has(entry.id) || hasArrived(entry)) return true;
      remarks.leftOut(entry.path, 'The photo never arrived.');
      return false;
    });
    for (const id of archive?.photoIds ?? [])
      if (!list.ids.has(id))
        remarks.leftOut(`/images`, `The archive has a photo ${id}, but the document has no such image.`);
  }

  /** Gets and makes the files of all photos, outside of any transaction. Images whose photo is not to be had are left out. */
  async prepare(lists: EntryLists, archive: ImportArchive | null, remarks: ImportRemarks): Promise<void> {
    const list = lists.get(images.name);
    if (!list) return;
    const waiting = [...list.entries];
    const failed = new Map<Entry, string>();
    const fetch = new PatientFetch({ fetch: this.#sources.fetch, maxBytes: maxUploadBytes });
    const work = async (): Promise<void> => {
      for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
        try {
          const packed = await archive?.photo(entry.id);
          const bytes = packed ?? (await this.#bytesAt(textOf(entry.values.attachment_url), fetch));
          this.#prepared.set(entry.id, await preparePhoto(this.#sources.storage, this.#scope.deviceId, bytes));
        } catch (error) {
          failed.set(entry, reasonOf(error));
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: fetchesAtOnce }, work));
    for (const one of ends) if (one.status === 'rejected') throw one.reason;
    list.entries = list.entries.filter((entry) => {
      const reason = failed.get(entry);
      if (reason !== undefined) remarks.lost(entry.path, `This photo was left out: ${reason}`);
      return reason === undefined;
    });
  }

  /** What an address leads to: a photo of this server from its storage, anything else from its host. */
  async #bytesAt(url: string, fetch: PatientFetch): Promise<Buffer> {
    const { storage } = this.#sources;
    const own = parsePhotoUrl(url);
    const file = own && (await storage.get(photoFile(own.deviceId, own.key, own.type, 'full')));
    if (file) return readStoredFile(file, largestPhoto);
    const { status, isTruncated, body } = await fetch.get(url);
    if (status < 200 || status > 299) throw new Unavailable(`Its address answers with status ${status}.`);
    if (isTruncated) throw new Unavailable(`It has more than ${maxUploadBytes} bytes.`);
    return body;
  }

  /** Makes the records, inside the transaction that stores everything else. Gives the new ids by those of the document. */
  async write(scope: DeviceScope, entries: readonly Entry[], origin: string): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>();
    const turns = new Turns();
    for (const { id, values, createdAt } of entries) {
      await turns.next();
      const prepared = this.#prepared.get(id);
      if (!prepared) throw new Error('a photo was not prepared');
      const processed = values.attachment_processed_at as Timestamp | null;
      const image = await createPhoto(scope, prepared, {
        attachment_url: textOf(values.attachment_url),
        origin,
        meta: values.meta as PhotoMeta,
        ...(createdAt !== null && { created_at: createdAt }),
        ...(processed !== null && { attachment_processed_at: processed }),
      });
      ids.set(id, image.id);
    }
    return ids;
  }

  /** Deletes the files for which there will be no records. What cannot be deleted now is swept later. */
  async discard(): Promise<void> {
    for (const prepared of this.#prepared.values())
      await discardPreparedPhoto(this.#sources.storage, this.#scope.deviceId, prepared).catch((error: unknown) =>
        this.#scope.log.warn({ reason: String(error) }, 'files of an import that failed were left behind'),
      );
  }
}

/** Why a photo is not to be had; what is the server's own trouble ends the import. */
function reasonOf(error: unknown): string {
  if (error instanceof Unavailable || error instanceof OutOfPatience) return error.message;
  if (error instanceof FetchFailure) return `Nothing could be fetched from its address (${error.reason}).`;
  if (error instanceof UnreadablePictureError) return `It is no picture that is taken: ${error.message}.`;
  throw error;
}
