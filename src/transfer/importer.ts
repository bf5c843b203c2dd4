import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { timestamp } from '../core/clock.ts';
import { createDurableFolder, writeDurableFile } from '../core/durable-file.ts';
import { Failure, invalid, refused } from '../core/errors.ts';
import { Semaphore } from '../core/semaphore.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { accountArchive } from './export-archive.ts';
import type { ExportDocument } from './export-document.ts';
import { ImportArchive } from './import-archive.ts';
import { readDocument } from './import-document.ts';
import { TimeSlices } from './import-entries.ts';
import type { HistoryEnds } from './import-existing.ts';
import {
  describeRecords,
  fileFingerprint,
  gardenFingerprint,
  historyEnds,
  newerHistories,
  restoreHistories,
} from './import-existing.ts';
import { importConcurrency, maxQueuedImports } from './import-limits.ts';
import type { ImportPlan } from './import-plan.ts';
import { planImport } from './import-plan.ts';
import type { ImportMode, ImportReport } from './import-report.ts';
import { ImportRemarks } from './import-report.ts';
import type { ImportFolder, ReceivedFile } from './import-upload.ts';
import { ImportWriter } from './import-writer.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { FileArchive, FileSources, RecordFiles, ServerAddress } from './transfer-rules.ts';

export interface ImportRequest {
  readonly mode: ImportMode;
  /** Only report what an import would do. */
  readonly check: boolean;
  /** Reject a document if any of its data would be changed or omitted. */
  readonly isStrict: boolean;
  /** The addresses of this server as the client uses them. */
  readonly address: ServerAddress;
  /** Called in the transaction that replaces an account. Throws if the caller's permission was revoked. */
  assertAllowed?(scope: DeviceScope): Promise<void>;
}

export interface ImporterDependencies {
  readonly folder: ImportFolder;
  /** The folder for backups of replaced accounts. */
  readonly backupFolder: string;
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly queue: JobQueue;
  /** Deletes all records of the account. Requires a transaction. */
  deleteGarden(scope: DeviceScope): Promise<void>;
}

/** The state of an account when its import was planned, to detect concurrent changes. */
interface PlannedState {
  readonly garden: string;
  /** Only for accounts that are replaced. */
  readonly replaced: { readonly files: string; readonly histories: HistoryEnds } | null;
}

const maxDescribedResources = 5;

function notEmptyMessage(found: readonly string[]): string {
  const more = found.length > maxDescribedResources ? ', …' : '';
  const what = found.slice(0, maxDescribedResources).join(', ') + more;
  return `The account is not empty (${what}). Use mode "merge" or "replace".`;
}

const changedMessage = 'The account was changed during the import. Please try again.';

/** Imports accounts. The document is parsed and checked completely before it is stored in one transaction. */
export class Importer {
  readonly #dependencies: ImporterDependencies;
  readonly #semaphore = new Semaphore(importConcurrency, maxQueuedImports);
  /** The ids of devices with an import in progress. */
  readonly #devices = new Set<number>();

  constructor(dependencies: ImporterDependencies) {
    this.#dependencies = dependencies;
  }

  /** The folder for received files. */
  get folder(): ImportFolder {
    return this.#dependencies.folder;
  }

  /** Imports a received file, or reports what would be imported. Throws 422 with all problems by path, 413, 429 or 503; in that case nothing is changed and all files are deleted. */
  async import(
    scope: DeviceScope,
    receive: () => Promise<ReceivedFile>,
    request: ImportRequest,
  ): Promise<ImportReport> {
    if (this.#devices.has(scope.deviceId)) throw refused('Another import into this account is in progress.');
    this.#devices.add(scope.deviceId);
    try {
      const file = await receive();
      try {
        return await this.#semaphore.run(() => this.#importFile(scope, file, request));
      } finally {
        await this.folder.delete(file.path);
      }
    } finally {
      this.#devices.delete(scope.deviceId);
    }
  }

  async #importFile(scope: DeviceScope, file: ReceivedFile, request: ImportRequest): Promise<ImportReport> {
    if (file.kind === 'json') return this.#importDocument(scope, file.path, null, request);
    const archive = await ImportArchive.open(file.path);
    const path = await this.folder.newPath();
    try {
      await archive.extractDocument(path);
      return await this.#importDocument(scope, path, archive, request);
    } finally {
      archive.close();
      await this.folder.delete(path);
    }
  }

  async #importDocument(
    scope: DeviceScope,
    path: string,
    archive: ImportArchive | null,
    request: ImportRequest,
  ): Promise<ImportReport> {
    const { mode, check } = request;
    const remarks = new ImportRemarks(request.isStrict);
    const garden = await gardenFingerprint(scope);
    const found = mode === 'empty' ? await describeRecords(scope) : [];
    if (found.length > 0) remarks.problem('', notEmptyMessage(found));
    const document = await readDocument(path, remarks);
    const plan = await planImport(scope, document, { mode, archive, remarks, slices: new TimeSlices() });
    await archive?.verify();
    const reused = Object.fromEntries(
      [...plan.lists.values()].map(({ key, resource }) => [key, plan.reused.get(resource.name)?.size ?? 0]),
    );
    if (check) return remarks.report({ mode, check, taken: plannedCounts(plan), reused, back_up: null });
    remarks.assertNoProblems();
    const { photos: storage, fetch, backupFolder } = this.#dependencies;
    const files = createFiles(plan, { storage, fetch, origin: request.address.origin }, scope);
    let isStored = false;
    let backup: string | null = null;
    try {
      await prepareFiles(files, plan, archive, remarks);
      remarks.assertNoProblems();
      // Read before the backup: histories that are added in between are in the backup, and are kept as well.
      const replaced =
        mode === 'replace' ? { files: await fileFingerprint(scope), histories: await historyEnds(scope) } : null;
      if (replaced) backup = await this.#createBackup(scope, request.address);
      const taken = await scope.transaction((inner) => this.#store(inner, plan, files, { garden, replaced }, request));
      isStored = true;
      return remarks.report({ mode, check, taken, reused, back_up: backup && join(basename(backupFolder), backup) });
    } finally {
      if (!isStored) {
        for (const recordFiles of files.values()) await recordFiles.discard();
        if (backup) await rm(join(backupFolder, backup), { force: true });
      }
    }
  }

  /** Stores a plan. Requires a transaction. Returns the number of records by key. */
  async #store(
    scope: DeviceScope,
    plan: ImportPlan,
    files: ReadonlyMap<string, RecordFiles>,
    { garden, replaced }: PlannedState,
    request: ImportRequest,
  ): Promise<Record<string, number>> {
    if (request.mode === 'empty') {
      const found = await describeRecords(scope);
      if (found.length > 0) throw invalid({ error: notEmptyMessage(found) });
    } else if ((await gardenFingerprint(scope)) !== garden) throw new Failure('unavailable', changedMessage);
    if (replaced) {
      await request.assertAllowed?.(scope);
      if ((await fileFingerprint(scope)) !== replaced.files) throw new Failure('unavailable', changedMessage);
      const newer = await newerHistories(scope, replaced.histories);
      await this.#dependencies.deleteGarden(scope);
      await restoreHistories(scope, newer);
    }
    const writer = new ImportWriter({ scope, plan, files, queue: this.#dependencies.queue });
    await writer.write();
    return writer.counts;
  }

  /** Writes the account with its photos to a file. Returns its name. */
  async #createBackup(scope: DeviceScope, address: ServerAddress): Promise<string> {
    const { backupFolder, document, photos } = this.#dependencies;
    await createDurableFolder(backupFolder, 0o700);
    const time = timestamp(scope.clock.now()).replaceAll(/[-:.]/g, '');
    const name = `device-${scope.deviceId}-${time}.zip`;
    const account = await document.read(scope, address);
    await writeDurableFile(join(backupFolder, name), accountArchive(scope, account, photos));
    return name;
  }
}

/** Creates the `RecordFiles` of resources with files, by table. */
function createFiles({ lists }: ImportPlan, sources: FileSources, scope: DeviceScope): Map<string, RecordFiles> {
  const files = new Map<string, RecordFiles>();
  for (const [table, { resource }] of lists) {
    const created = rulesOf(resource).files?.(sources, scope);
    if (created) files.set(table, created);
  }
  return files;
}

async function prepareFiles(
  files: ReadonlyMap<string, RecordFiles>,
  { lists }: ImportPlan,
  archive: FileArchive | null,
  remarks: ImportRemarks,
): Promise<void> {
  for (const [table, recordFiles] of files) {
    const list = lists.get(table);
    if (list) await recordFiles.prepare(list, archive, remarks);
  }
}

/** Returns the number of records in a plan, by key. */
const plannedCounts = ({ lists, configs, device }: ImportPlan): Record<string, number> => ({
  ...Object.fromEntries([...lists.values()].map(({ key, entries }) => [key, entries.length])),
  ...Object.fromEntries(configs.map(({ key }) => [key, 1])),
  ...(device && { [device.key]: 1 }),
});
