import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { timestamp } from '../core/clock.ts';
import { createDurableFolder, writeDurableFile } from '../core/durable-file.ts';
import { Failure, invalid, refused } from '../core/errors.ts';
import { Semaphore } from '../core/semaphore.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import { enqueueManifestFetch, farmwareInstallations } from '../garden/farmware-installations.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { images } from '../photos/images.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportAddress, ExportDocument } from './export-document.ts';
import { ImportArchive } from './import-archive.ts';
import { readDocument } from './import-document.ts';
import { holdings, stateOf } from './import-existing.ts';
import { atOnce, mayWait } from './import-limits.ts';
import type { ImportMode } from './import-modes.ts';
import { ImportedPhotos } from './import-photos.ts';
import type { ImportPlan } from './import-plan.ts';
import { planImport } from './import-plan.ts';
import type { ImportReport } from './import-report.ts';
import { ImportRemarks } from './import-report.ts';
import { Turns } from './import-turns.ts';
import type { ImportFolder, ReceivedFile } from './import-upload.ts';
import { ImportWriter } from './import-writer.ts';
import type { HistoryEnds } from './newer-histories.ts';
import { historyEnds, keepHistories, newerHistories, photosState } from './newer-histories.ts';

/** How an account is imported. */
export interface ImportWish {
  readonly mode: ImportMode;
  /** Only look at it. */
  readonly check: boolean;
  /** Refuse what would be changed or lost. */
  readonly isStrict: boolean;
  /** Under which addresses whoever imports reaches this server. */
  readonly address: ExportAddress;
  /** Asked once more in the transaction that replaces an account. Throws when it may not be. */
  assertAllowed?(scope: DeviceScope): Promise<void>;
}

export interface ImporterParts {
  readonly folder: ImportFolder;
  /** Where accounts are written to before they are replaced. */
  readonly backUps: string;
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly queue: JobQueue;
  /** Deletes everything that the account holds, in a transaction. */
  emptyGarden(scope: DeviceScope): Promise<void>;
}

/** At most so many kinds of records are named. */
const namedHoldings = 5;

function notEmpty(found: readonly string[]): string {
  const more = found.length > namedHoldings ? ', …' : '';
  const what = found.slice(0, namedHoldings).join(', ') + more;
  return `The account holds something already (${what}). Choose the mode "merge" or "replace".`;
}

const changedMeanwhile = 'The account was changed while the import was prepared. Please try again.';

/** Takes in whole accounts. Everything is read and checked before anything is written, and all of it is written in one transaction. */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #line = new Semaphore(atOnce, mayWait);
  readonly #devices = new Set<number>();

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /** Where files are received. */
  get folder(): ImportFolder {
    return this.#parts.folder;
  }

  /** Imports what is received, or says what an import would do. Throws 422 with the paths of all problems, 413, 429, 503; nothing is changed then and no file is left. */
  async take(scope: DeviceScope, receive: () => Promise<ReceivedFile>, wish: ImportWish): Promise<ImportReport> {
    if (this.#devices.has(scope.deviceId)) throw refused('Another import into this account is under way.');
    this.#devices.add(scope.deviceId);
    try {
      const file = await receive();
      try {
        return await this.#line.run(() => this.#importFile(scope, file, wish));
      } finally {
        await this.#parts.folder.drop(file.path);
      }
    } finally {
      this.#devices.delete(scope.deviceId);
    }
  }

  async #importFile(scope: DeviceScope, file: ReceivedFile, wish: ImportWish): Promise<ImportReport> {
    if (file.kind === 'json') return this.#importDocument(scope, file.path, null, wish);
    const archive = await ImportArchive.open(file.path);
    const path = await this.#parts.folder.freshPath();
    try {
      await archive.extractDocument(path);
      return await this.#importDocument(scope, path, archive, wish);
    } finally {
      archive.close();
      await this.#parts.folder.drop(path);
    }
  }

  async #importDocument(
    scope: DeviceScope,
    path: string,
    archive: ImportArchive | null,
    wish: ImportWish,
  ): Promise<ImportReport> {
    const { mode, check } = wish;
    const remarks = new ImportRemarks(wish.isStrict);
    const state = await stateOf(scope);
    const found = mode === 'empty' ? await holdings(scope) : [];
    if (found.length > 0) remarks.problem('', notEmpty(found));
    const document = await readDocument(path, remarks);
    const plan = await planImport(scope, document, { mode, remarks, turns: new Turns() });
    ImportedPhotos.sort(plan.lists, archive, remarks);
    await archive?.verify();
    const reused = Object.fromEntries(
      [...plan.lists.values()].map(({ key, resource }) => [key, plan.reused.get(resource.name)?.size ?? 0]),
    );
    if (check) return remarks.report({ mode, check, taken: takenBy(plan), reused, back_up: null });
    remarks.assertNone();
    const photos = new ImportedPhotos({ storage: this.#parts.photos, fetch: this.#parts.fetch }, scope);
    let isStored = false;
    let backUp: string | null = null;
    try {
      await photos.prepare(plan.lists, archive, remarks);
      remarks.assertNone();
      // Noted first: what is told in between is in the back-up and stays as well.
      const ends = mode === 'replace' ? await historyEnds(scope) : null;
      if (ends) backUp = await this.#backUp(scope, wish.address);
      const taken = await scope.transaction((inner) => this.#write(inner, plan, photos, { state, ends }, wish));
      isStored = true;
      return remarks.report({
        mode,
        check,
        taken,
        reused,
        back_up: backUp && join(basename(this.#parts.backUps), backUp),
      });
    } finally {
      if (!isStored) {
        await photos.discard();
        if (backUp) await rm(join(this.#parts.backUps, backUp), { force: true });
      }
    }
  }

  /** In one transaction. */
  async #write(
    scope: DeviceScope,
    plan: ImportPlan,
    photos: ImportedPhotos,
    { state, ends }: { readonly state: string; readonly ends: HistoryEnds | null },
    wish: ImportWish,
  ): Promise<Record<string, number>> {
    if (wish.mode === 'empty') {
      const found = await holdings(scope);
      if (found.length > 0) throw invalid({ error: notEmpty(found) });
    } else if ((await stateOf(scope)) !== state) throw new Failure('unavailable', changedMeanwhile);
    if (ends) {
      await wish.assertAllowed?.(scope);
      if ((await photosState(scope)) !== ends.photos) throw new Failure('unavailable', changedMeanwhile);
      const newer = await newerHistories(scope, ends);
      await this.#parts.emptyGarden(scope);
      await keepHistories(scope, newer);
    }
    const writer = new ImportWriter(scope, plan, {
      [images.name]: (entries) => photos.write(scope, entries, wish.address.base),
    });
    await writer.write();
    const unread = await scope.rows(farmwareInstallations, { where: { package: null, package_error: null } });
    for (const { id } of unread) await enqueueManifestFetch(scope, this.#parts.queue, id);
    return writer.taken;
  }

  /** Writes the account to a file, photos included. Gives its name. */
  async #backUp(scope: DeviceScope, address: ExportAddress): Promise<string> {
    const { backUps, document, photos } = this.#parts;
    await createDurableFolder(backUps, 0o700);
    const moment = timestamp(scope.clock.now()).replaceAll(/[-:.]/g, '');
    const name = `device-${scope.deviceId}-${moment}.zip`;
    const account = await document.read(scope, address);
    await writeDurableFile(join(backUps, name), accountArchive(scope, account, photos));
    return name;
  }
}

/** How many records of each kind a plan stores. */
const takenBy = ({ lists, configs, device }: ImportPlan): Record<string, number> => ({
  ...Object.fromEntries([...lists.values()].map(({ key, entries }) => [key, entries.length])),
  ...Object.fromEntries(configs.map(({ key }) => [key, 1])),
  ...(device && { [device.key]: 1 }),
});
