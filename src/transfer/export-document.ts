import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, Listing } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { deviceJson, devices } from '../device/devices.ts';
import { rowJsonExpressions } from '../engine/serializer.ts';
import type { DocumentPart } from './account-document.ts';
import { accountDocument } from './account-document.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { ServerAddress } from './transfer-rules.ts';

export interface ExportSources {
  /** The number of the newest migration. */
  readonly schema: number;
  /** Returns a device's row with the activity that is not stored yet. */
  device(row: DeviceRow): DeviceRow;
  /** Returns a user's `updated_at` with the activity that is not stored yet. */
  userUpdatedAt(userId: number, updatedAt: Timestamp): Timestamp;
}

/** An exported record with a file. */
export interface ExportedFile {
  readonly id: number;
  readonly created_at: Timestamp;
}

export interface AccountExport {
  /** The document as JSON. */
  readonly text: string;
  /** Returns the records with files. */
  files(): readonly ExportedFile[];
}

const emptyList = '[]';

type StoredPart = Exclude<DocumentPart, { kind: 'metadata' | 'device' }> | { readonly kind: 'device'; key: string };

const isStored = (part: DocumentPart): part is StoredPart => part.kind !== 'metadata';

const parts = accountDocument.filter(isStored);

function listingOf(part: StoredPart): Listing<'device' | 'both'> {
  if (part.kind === 'device') return { table: devices, json: rowJsonExpressions(devices) };
  if (part.kind === 'users') return { table: part.table, json: rowJsonExpressions(part.table, part.columns) };
  return { table: part.resource, json: part.json };
}

const listings = parts.map(listingOf);
const deviceIndex = parts.findIndex(({ kind }) => kind === 'device');

/** Exports accounts as JSON: a snapshot of all records, as responses show them, without limits. [rule T2] */
export class ExportDocument {
  readonly #sources: ExportSources;

  constructor(sources: ExportSources) {
    this.#sources = sources;
  }

  /** Reads the account of a device. Throws 401 if it was deleted. */
  async read(scope: DeviceScope, address: ServerAddress): Promise<AccountExport> {
    const lists = await this.#readLists(scope);
    const now = scope.clock.now();
    const values = new Map<string, string>([
      // The only time with an offset. [rule T3]
      ['export_created_at', JSON.stringify(timestamp(now).replace('Z', '+00:00'))],
      ['server_url', JSON.stringify(address.issuer)],
      ['database_schema', JSON.stringify(this.#sources.schema)],
    ]);
    for (const [index, part] of parts.entries())
      values.set(part.key, this.#value(part, lists[index] ?? emptyList, now, address));
    const entries = accountDocument.map(({ key }) => `${JSON.stringify(key)}:${values.get(key)}`);
    return {
      text: `{${entries.join(',')}}`,
      files: () =>
        parts
          .filter((part) => part.kind === 'list' && rulesOf(part.resource).files)
          .flatMap(({ key }) => JSON.parse(values.get(key) ?? emptyList) as ExportedFile[]),
    };
  }

  /** Reads all rows in one snapshot. Creates missing configs. */
  async #readLists(scope: DeviceScope): Promise<readonly string[]> {
    const lists = await scope.jsonLists(listings);
    // The device was deleted during the request.
    if (lists[deviceIndex] === emptyList) throw new Failure('bad_token');
    const missing = parts.flatMap((part, index) =>
      part.kind === 'singleton' && lists[index] === emptyList ? [part.resource] : [],
    );
    if (missing.length === 0) return lists;
    for (const resource of missing) await resource.ensure(scope);
    return scope.jsonLists(listings);
  }

  #value(part: StoredPart, list: string, now: number, address: ServerAddress): string {
    if (part.kind === 'users') return part.table.name === 'users' ? this.#users(list) : list;
    if (part.kind === 'list') return rulesOf(part.resource).exportedList?.(list, address) ?? list;
    if (list === emptyList) throw new Failure('bad_token');
    if (part.kind === 'singleton') return list.slice(1, -1);
    const [row] = JSON.parse(list) as [DeviceRow];
    return deviceJson(this.#sources.device(row), now);
  }

  #users(list: string): string {
    const rows = JSON.parse(list) as { id: number; updated_at: Timestamp }[];
    return JSON.stringify(
      rows.map((row) => ({ ...row, updated_at: this.#sources.userUpdatedAt(row.id, row.updated_at) })),
    );
  }
}
