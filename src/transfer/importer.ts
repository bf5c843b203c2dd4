import { rm } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { Readable } from 'node:stream';
import { writeDurableFile } from '../core/durable-file.ts';
import { Failure } from '../core/errors.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import type { FreeSpace } from '../core/free-space.ts';
import { isUnavailable } from '../core/outage.ts';
import { Slices, yieldToRequests } from '../core/request-pause.ts';
import { deleteTemporaryFile } from '../core/temporary-files.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import type { Gardens } from '../device/gardens.ts';
import { announceChanged } from '../engine/records.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import { pointLimit } from '../garden/point-lifecycle.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { accountArchive, documentName, ImportArchive } from './account-archive.ts';
import type { ExportDocument } from './account-document.ts';
import { readDocument } from './import-document.ts';
import type { EntryList } from './import-entries.ts';
import {
  assertUnchanged,
  deleteReplaced,
  gardenFingerprint,
  notEmptyMessage,
  readReplacedState,
} from './import-existing.ts';
import type { ImportPlan } from './import-plan.ts';
import { countRecords, inDependencyOrder, planImport } from './import-plan.ts';
import type { ConfigSettings, ReferenceField } from './import-records.ts';
import { referenceFields } from './import-records.ts';
import type { ImportMode, ImportReport } from './import-report.ts';
import { ImportRemarks } from './import-report.ts';
import { createImportPath, receiveFile } from './import-upload.ts';
import { say } from './messages.ts';
import type { ReplacedAccounts } from './replaced-accounts.ts';
import { writeDevice } from './rules/device.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { FileSources, NewIds, RecordFiles, RecordWriter, Row, ServerAddress } from './transfer-rules.ts';

/**
 * Stores a plan in the transaction of the scope. All records get new ids, to which all references are changed. `files`: the
 * prepared files of records, by table.
 */
async function writePlan(
  { lists, reused, configs, device }: ImportPlan,
  files: ReadonlyMap<string, RecordFiles>,
  scope: DeviceScope,
  queue: JobQueue,
): Promise<void> {
  const idsByTable = new Map<string, NewIds>(reused);
  const writer = createWriter(scope, queue, idsByTable);
  for (const list of inDependencyOrder(lists)) {
    if (list.entries.length === 0) continue;
    const { name } = list.resource;
    const recordFiles = files.get(name);
    const ids = recordFiles ? await recordFiles.insert(writer) : await insertEntries(list, writer);
    idsByTable.set(name, new Map([...(idsByTable.get(name) ?? []), ...ids]));
    if (!recordFiles) await completeEntries(list, writer);
  }
  for (const config of configs) await writeConfig(config, writer);
  if (device) await writeDevice(device, writer);
}

function createWriter(scope: DeviceScope, queue: JobQueue, idsByTable: ReadonlyMap<string, NewIds>): RecordWriter {
  // Other writers wait for this transaction, but readers and connections of robots need not. So it yields to the event loop,
  // unlike any other transaction, since no other takes as long.
  const slices = new Slices(yieldToRequests);
  // Programs only refer to their own device, whatever its id was.
  const newId = (table: string, id: number): number | undefined =>
    table === devices.name ? scope.deviceId : idsByTable.get(table)?.get(id);
  return {
    scope,
    queue,
    slices,
    newId,
    storedId(table, { id }) {
      const stored = newId(table, id);
      if (stored === undefined) throw new Error(`a record of ${table} was not stored`);
      return stored;
    },
    insertAll: (table, rows) => scope.insertAll(table, rows),
  };
}

async function insertEntries({ resource, entries }: EntryList, writer: RecordWriter): Promise<NewIds> {
  const { toRow, table = resource } = rulesOf(resource);
  const fields = referenceFields(resource);
  const rows: Row[] = [];
  for (const entry of entries) {
    const row = withNewReferences(entry.values, fields, writer);
    if (entry.createdAt !== null) row.created_at = entry.createdAt;
    toRow?.(row, entry, writer);
    rows.push(row);
    await writer.slices.pause();
  }
  const inserted = (await writer.insertAll(table, rows)) as { readonly id: number }[];
  // Ids ascend in the order of the rows, but databases may return them in another order.
  const newIds = inserted.map(({ id }) => id).sort((a, b) => a - b);
  return new Map(entries.map(({ id }, index) => [id, newIds[index] ?? 0]));
}

/** Stores the parts of inserted entries, and announces them. */
async function completeEntries({ resource, entries }: EntryList, writer: RecordWriter): Promise<void> {
  const { afterInsert, isAnnounced = () => true } = rulesOf(resource);
  await afterInsert?.(entries, writer);
  for (const entry of entries) {
    await writer.slices.pause();
    if (isAnnounced(entry)) announceChanged(writer.scope, resource, writer.storedId(resource.name, entry));
  }
}

async function writeConfig({ resource, values, createdAt }: ConfigSettings, writer: RecordWriter): Promise<void> {
  const { scope } = writer;
  await resource.ensure(scope);
  const changes = withNewReferences(values, referenceFields(resource), writer);
  if (createdAt !== null) changes.created_at = createdAt;
  const [row] = await scope.update(resource, changes as Partial<RowOf<typeof resource>>, {});
  if (row) announceChanged(scope, resource, row.id);
}

function withNewReferences(values: Readonly<Row>, fields: readonly ReferenceField[], { newId }: RecordWriter): Row {
  const row: Row = { ...values };
  for (const { name, table } of fields) {
    const id = row[name];
    if (typeof id === 'number') row[name] = newId(table, id) ?? null;
  }
  return row;
}

/** Concurrent imports of a process. Each may need several hundred megabytes. */
const importConcurrency = 1;

/** Maximum number of queued imports; further ones are rejected with 429. */
const maxQueuedImports = 8;

/** Maximum number of imports of one network that are received, queued or running, so that slow ones of a few accounts leave room for others. */
const maxImportsPerNetwork = 3;

export interface ImportOptions {
  readonly mode: ImportMode;
  /** Only report the effects of an import. */
  readonly check: boolean;
  /** Reject a document if any of its data would be changed or omitted. */
  readonly strict: boolean;
}

export interface ImportRequest extends ImportOptions {
  /** The addresses of this server as the client uses them. */
  readonly address: ServerAddress;
  /** The client's network, of IPv6 its site; null: not limited. [ADR 40] */
  readonly network: string | null;
  /** The maximum number of points, if it differs from the maximum of requests; at most the maximum of all gardens. */
  readonly maxPoints?: number;
  /** Called in the transaction of the import. Throws if the caller's permission was revoked. */
  assertAllowed?(scope: DeviceScope): Promise<void>;
}

interface ImporterDependencies {
  /** The folder for received files. */
  readonly folder: string;
  readonly replacedAccounts: ReplacedAccounts;
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly queue: JobQueue;
  readonly quotas: Quotas;
  readonly freeSpace: FreeSpace;
  /** The folder of incoming photos. */
  readonly uploadFolder: string;
  /** Deletes all records of the account. Requires a transaction. */
  readonly gardens: Gardens;
}

/** Imports accounts. The document is parsed and checked completely before it is stored in one transaction. */
export class Importer {
  readonly #dependencies: ImporterDependencies;
  readonly #semaphore = new FairSemaphore(importConcurrency, maxQueuedImports);
  /** The networks of imports that are received, queued or running. */
  readonly #pending: (string | null)[] = [];

  constructor(dependencies: ImporterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Imports the content of a file, or reports the records to import. Throws 422 with all problems by path, 413, 429, 503 or 507; in that
   * case nothing is changed and all files are deleted.
   */
  async importFile(scope: DeviceScope, content: AsyncIterable<Buffer>, request: ImportRequest): Promise<ImportReport> {
    // Before its bytes are received, which would wait on the disk.
    const { network } = request;
    const ofNetwork = network === null ? 0 : this.#pending.filter((each) => each === network).length;
    if (this.#pending.length >= importConcurrency + maxQueuedImports || ofNetwork >= maxImportsPerNetwork)
      throw new Failure('throttled');
    this.#pending.push(network);
    const { folder, freeSpace } = this.#dependencies;
    try {
      this.#assertRoom();
      const { path, kind } = await receiveFile(folder, freeSpace.guard(folder, content));
      try {
        return await this.#semaphore.run('', () =>
          kind === 'json'
            ? this.#importDocument(scope, path, null, request)
            : this.#importArchive(scope, path, request),
        );
      } finally {
        await deleteTemporaryFile(path);
      }
    } finally {
      this.#pending.splice(this.#pending.indexOf(network), 1);
    }
  }

  async #importArchive(scope: DeviceScope, archivePath: string, request: ImportRequest): Promise<ImportReport> {
    const { folder } = this.#dependencies;
    const archive = await ImportArchive.open(archivePath);
    const path = await createImportPath(folder);
    try {
      await archive.extractDocument(path);
      return await this.#importDocument(scope, path, archive, request);
    } finally {
      archive.close();
      await deleteTemporaryFile(path);
    }
  }

  async #importDocument(
    scope: DeviceScope,
    path: string,
    archive: ImportArchive | null,
    { mode, check, strict, address, assertAllowed, ...request }: ImportRequest,
  ): Promise<ImportReport> {
    const remarks = new ImportRemarks(strict);
    const garden = await gardenFingerprint(scope);
    const obstacle = mode === 'empty' ? await notEmptyMessage(scope) : null;
    if (obstacle) remarks.problem('', obstacle);
    const document = await readDocument(path, remarks, archive ? say.noJsonFile(documentName) : say.noJson);
    const { quotas } = this.#dependencies;
    const maxPoints = request.maxPoints ?? (await pointLimit(scope));
    const plan = await planImport(scope, document, { mode, archive, remarks, maxPoints, quotas });
    await archive?.verify();
    if (check) return remarks.report({ mode, check, ...countRecords(plan), back_up: null });
    remarks.assertNoProblems();
    const { folder, photos: storage, fetch, queue, replacedAccounts, gardens } = this.#dependencies;
    const assertRoom = () => this.#assertRoom();
    const files = createFiles(plan, { scope, storage, fetch, origin: address.origin, mode, quotas, assertRoom });
    let backup: string | null = null;
    let isWritten = false;
    try {
      for (const each of files.values()) await each.prepare(archive, remarks);
      remarks.assertNoProblems();
      // Read before the backup: histories that are added in between are in the backup, and are kept as well.
      const replaced = mode === 'replace' ? await readReplacedState(scope) : null;
      if (replaced) backup = await this.#createBackup(scope, address);
      await scope.transaction(async (inner) => {
        isWritten = false;
        await assertUnchanged(inner, mode, garden);
        await assertAllowed?.(inner);
        const putBack = replaced && (await deleteReplaced(inner, replaced, gardens));
        await writePlan(plan, files, inner, queue);
        await putBack?.();
        isWritten = true;
      });
      const back_up = backup && relative(dirname(folder), backup);
      // The import is committed: a failure is left to the daily cleanup.
      if (backup)
        await replacedAccounts
          .trim(scope.deviceId)
          .catch((error: unknown) => scope.log.warn({ reason: String(error) }, 'deleting an old archive failed'));
      return remarks.report({ mode, check, ...countRecords(plan), back_up });
    } catch (error) {
      // The outcome of the commit is unknown: the daily cleanup deletes the files of records that are not there.
      if (!(isWritten && isUnavailable(error))) {
        for (const each of files.values()) await each.discard();
        if (backup) await rm(backup, { force: true });
      }
      throw error;
    }
  }

  /** Throws 507. */
  #assertRoom(): void {
    const { freeSpace, folder, uploadFolder } = this.#dependencies;
    freeSpace.assertRoom(folder, uploadFolder);
  }

  /** Writes the account with its photos to a file. Returns its path. */
  async #createBackup(scope: DeviceScope, address: ServerAddress): Promise<string> {
    const { folder, freeSpace, replacedAccounts, document, photos } = this.#dependencies;
    const path = await replacedAccounts.createPath(scope);
    const archive = accountArchive(scope, await document.read(scope, address), photos);
    try {
      await writeDurableFile(path, Readable.from(freeSpace.guard(folder, archive), { objectMode: false }));
    } finally {
      archive.destroy();
    }
    return path;
  }
}

/** Creates the `RecordFiles` of resources with files, by table. */
function createFiles({ lists }: ImportPlan, sources: FileSources): Map<string, RecordFiles> {
  const files = new Map<string, RecordFiles>();
  for (const [table, list] of lists) {
    const created = rulesOf(list.resource).files?.(list, sources);
    if (created) files.set(table, created);
  }
  return files;
}
