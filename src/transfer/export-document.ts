import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, Listing } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { deviceJson, devices } from '../device/devices.ts';
import { rowJsonExpressions } from '../engine/serializer.ts';
import { rewritePhotoOrigins } from '../photos/photo-origins.ts';
import type { DocumentPart } from './account-document.ts';
import { accountDocument } from './account-document.ts';

/** Under which addresses an export names this server. */
export interface ExportAddress {
  /** As tokens do: `//host:port`. */
  readonly server: string;
  /** What addresses of photos begin with: `http://host:port`. */
  readonly base: string;
}

/** What an export needs besides the database. */
export interface ExportSources {
  /** The number of the newest migration. */
  readonly schema: number;
  /** The device's row with what is still in memory laid over it. */
  device(row: DeviceRow): DeviceRow;
  /** `updated_at` of a user with what is still in memory. */
  userMovedTo(userId: number, updatedAt: Timestamp): Timestamp;
}

/** A photo as the document names it. */
export interface ExportedImage {
  readonly id: number;
  readonly created_at: Timestamp;
}

/** An account as one text, and what of it is not in the text. */
export interface AccountExport {
  /** JSON. */
  readonly text: string;
  images(): readonly ExportedImage[];
}

const nothing = '[]';

type Kept = Exclude<DocumentPart, { holds: 'fact' }>;

const parts = accountDocument.filter((part): part is Kept => part.holds !== 'fact');

const listingOf = (part: Kept): Listing<'device' | 'both'> =>
  part.holds === 'device'
    ? { table: devices, json: rowJsonExpressions(devices) }
    : part.holds === 'people'
      ? { table: part.table, json: rowJsonExpressions(part.table, part.shown) }
      : { table: part.resource, json: part.json };

const listings = parts.map(listingOf);
const devicePlace = parts.findIndex(({ holds }) => holds === 'device');

/** Whole accounts as one JSON text: everything of one moment, as answers show it, nothing limited. [reference 2] */
export class ExportDocument {
  readonly #sources: ExportSources;

  constructor(sources: ExportSources) {
    this.#sources = sources;
  }

  /** The device's account. Throws 401 if it is gone. */
  async read(scope: DeviceScope, address: ExportAddress): Promise<AccountExport> {
    const lists = await this.#lists(scope);
    const now = scope.clock.now();
    const values = new Map<string, string>();
    // With an offset, as no other time here. [reference 2]
    values.set('export_created_at', JSON.stringify(timestamp(now).replace('Z', '+00:00')));
    values.set('server_url', JSON.stringify(address.server));
    values.set('database_schema', JSON.stringify(this.#sources.schema));
    parts.forEach((part, index) => {
      values.set(part.key, this.#value(part, lists[index] ?? nothing, now, address));
    });
    const entries = accountDocument.map(({ key }) => `${JSON.stringify(key)}:${values.get(key)}`);
    return {
      text: `{${entries.join(',')}}`,
      images: () => JSON.parse(values.get('images') ?? nothing) as ExportedImage[],
    };
  }

  /** What the database has, all of one moment. */
  async #lists(scope: DeviceScope): Promise<readonly string[]> {
    const lists = await scope.jsonLists(listings);
    // Deleted while it was asked for.
    if (lists[devicePlace] === nothing) throw new Failure('bad_token');
    const missing = parts.flatMap((part, index) =>
      part.holds === 'record' && lists[index] === nothing ? [part.resource] : [],
    );
    if (missing.length === 0) return lists;
    for (const resource of missing) await resource.ensure(scope);
    return scope.jsonLists(listings);
  }

  #value(part: Kept, list: string, now: number, address: ExportAddress): string {
    if (part.key === 'images') return rewritePhotoOrigins(address.base, list);
    if (part.key === 'users') return this.#users(list);
    if (part.holds === 'records' || part.holds === 'people') return list;
    if (list === nothing) throw new Failure('bad_token');
    if (part.holds === 'record') return list.slice(1, -1);
    const [row] = JSON.parse(list) as [DeviceRow];
    return deviceJson(this.#sources.device(row), now);
  }

  #users(list: string): string {
    const rows = JSON.parse(list) as { id: number; updated_at: Timestamp }[];
    return JSON.stringify(
      rows.map((row) => ({ ...row, updated_at: this.#sources.userMovedTo(row.id, row.updated_at) })),
    );
  }
}
