import type { Slices } from '../core/request-pause.ts';
import type { DeviceScope, Insertable, JsonExpressions } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { DeviceRow } from '../device/devices.ts';
import type { Fields } from '../engine/fields.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { ImportArchive } from './account-archive.ts';
import type { Entry, EntryList, EntryLists, KnownRecords, ReusedIds } from './import-entries.ts';
import type { ImportMode, ImportRemarks } from './import-report.ts';

/** The addresses of this server in exported documents. */
export interface ServerAddress {
  /** As in the `iss` of tokens: `//host:port`. */
  readonly issuer: string;
  /** The origin of photo URLs: `http://host:port`. */
  readonly origin: string;
}

/** The state of an import while its document is checked. */
export interface ImportContext {
  readonly scope: DeviceScope;
  readonly device: DeviceRow;
  readonly archive: ImportArchive | null;
  readonly remarks: ImportRemarks;
  readonly mode: ImportMode;
  readonly quotas: Quotas;
  /** The maximum number of points that the account may have afterwards. */
  readonly maxPoints: number;
  readonly slices: Slices;
  /** The board of the document's robot. */
  readonly firmwareHardware: unknown;
}

/** An import before its stored records are known. */
export interface FitContext extends ImportContext {
  readonly reused: ReusedIds;
  /** The number of records that the account keeps. */
  readonly existingCount: number;
}

/** An import whose records refer to each other. */
export interface PlanContext extends ImportContext {
  readonly lists: EntryLists;
  readonly known: KnownRecords;
}

/** New ids by the document's ids. */
export type NewIds = ReadonlyMap<number, number>;

/** Stores the records of a document, in one transaction. */
export interface RecordWriter {
  readonly scope: DeviceScope;
  readonly queue: JobQueue;
  readonly slices: Slices;
  /** Returns the new id of a record of the document. Undefined: the record is not imported. */
  newId(table: string, id: number): number | undefined;
  /** Returns the new id of a stored entry. */
  storedId(table: string, entry: Entry): number;
  /** Inserts rows in batches, between which others can read. */
  insertAll<R>(table: Table<R, 'device'>, rows: readonly Insertable<R>[]): Promise<R[]>;
}

/** The origin and the storage of records' files. */
export interface FileSources {
  readonly scope: DeviceScope;
  readonly storage: PhotoStorage;
  readonly fetch: ServerFetch;
  /** The origin of this server. */
  readonly origin: string;
  readonly mode: ImportMode;
  readonly quotas: Quotas;
  /** Throws 507 if the disk is almost full. */
  assertRoom(): void;
}

/** The files of an import's records, for resources whose records are not just rows. */
export interface RecordFiles {
  /** Creates the files before the transaction. Omits entries whose file is not available. */
  prepare(archive: ImportArchive | null, remarks: ImportRemarks): Promise<void>;
  /** Stores and announces the records. */
  insert(writer: RecordWriter): Promise<NewIds>;
  /** Deletes the files if the records are not stored. */
  discard(): Promise<void>;
}

export type Row = Record<string, unknown>;

/** The differences of the export and import of one resource from its declaration. */
export interface TransferRules {
  readonly resource: AnyResource;

  /** The JSON of an exported record, where it differs from responses. [rule T4] */
  readonly json?: JsonExpressions;
  /** Changes the JSON text of the exported list. */
  readonly exportedList?: (list: string, address: ServerAddress) => string;

  /** The vendor's early documents do not have its key. */
  readonly isOptional?: true;
  /** Records of events: an invalid one is omitted instead of failing the import, and newer ones survive a replacement. */
  readonly isHistory?: true;
  /** They are ordered by their ids: records that a robot adds during a replacement get new ones, so that they come last. */
  readonly isOrderedById?: true;
  /** Robots write its records by themselves: an account that has some still counts as empty. */
  readonly isWrittenByRobots?: true;

  /** The fields of a document's record, where they differ from the resource's. */
  readonly fields?: Fields;
  /** Exported fields that are not imported. */
  readonly ignoredFields?: readonly string[];
  /** The values of fields that must not be null in requests, but are in old rows. [rule T5] */
  readonly nullValues?: Readonly<Record<string, (record: Readonly<Row>) => unknown>>;

  /** The maximum per device, where it depends on the device. */
  readonly limit?: (device: DeviceRow) => number;
  /** Returns the newest entries in their order, as many as the account keeps, where that depends on the account. */
  readonly newest?: (entries: readonly Entry[], context: ImportContext) => Promise<Entry[]>;
  /** The maximum per import, where the resource has no limit. */
  readonly maxImported?: number;

  /** Whether a record requires its references, even though they may be null. */
  readonly requiresReferences?: (values: Readonly<Row>) => boolean;
  /** Tables that records refer to other than by foreign keys; their records are checked and stored first. */
  readonly dependsOn?: readonly string[];
  /** Reduces the entries to the capacity of the account, before limits are checked. */
  readonly fit?: (list: EntryList, context: FitContext) => Promise<void> | void;
  /** Checks the entries after their references have been resolved. */
  readonly check?: (list: EntryList, context: PlanContext) => Promise<void> | void;

  /** The table into which rows are inserted, where it is not the resource itself. */
  readonly table?: Table<unknown, 'device'>;
  /** Changes a row before it is inserted. Foreign keys have been replaced already. */
  readonly toRow?: (row: Row, entry: Entry, writer: RecordWriter) => void;
  /** Parts of records that are rows of a table of their own, and their number in an entry. */
  readonly parts?: { readonly table: Table<unknown, 'device'>; countOf(entry: Entry): number };
  /** Stores parts of the records outside of their rows. */
  readonly afterInsert?: (entries: readonly Entry[], writer: RecordWriter) => Promise<void>;
  readonly isAnnounced?: (entry: Entry) => boolean;
  readonly files?: (list: EntryList, sources: FileSources) => RecordFiles;
}
