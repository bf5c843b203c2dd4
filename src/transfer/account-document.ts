import { tokenIssuances } from '../accounts/token-issuances.ts';
import type { UserActivity } from '../accounts/user-activity.ts';
import { users } from '../accounts/users.ts';
import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { accountLanguages, defaultLanguage } from '../core/languages.ts';
import { migrations } from '../db/migrations/list.ts';
import type { DeviceScope, JsonListing } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { DeviceRow } from '../device/devices.ts';
import { deviceJson, devices } from '../device/devices.ts';
import type { AnyResource } from '../engine/resource.ts';
import { jsonExpressions, rowJsonExpressions } from '../engine/serializer.ts';
import type { Singleton } from '../engine/singleton.ts';
import { resources } from '../resources.ts';
import type { AccountExport } from './account-archive.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { ServerAddress } from './transfer-rules.ts';

/** A resource of which each device has one record. */
export type AnySingleton = AnyResource & Pick<Singleton, 'path' | 'ensure'>;

/** The rows of which the value of a key consists. */
interface Stored {
  readonly listing: JsonListing<'device' | 'both'>;
}

/**
 * A key of an exported account, by the type of its value:
 * - `metadata`: a property of the export itself.
 * - `device`: the device's object.
 * - `singleton`: the object of a resource that each device has once.
 * - `list`: all records of a resource by ascending id, including archived and expired ones.
 * - `users`: rows of users and their sessions, which are never imported.
 */
export type DocumentPart = { readonly key: string } & (
  | { readonly kind: 'metadata' }
  | ({ readonly kind: 'device' | 'users' } & Stored)
  | ({ readonly kind: 'singleton'; readonly resource: AnySingleton } & Stored)
  | ({ readonly kind: 'list'; readonly resource: AnyResource } & Stored)
);

type StoredPart = Extract<DocumentPart, Stored>;

const isSingleton = (resource: AnyResource): resource is AnySingleton => 'path' in resource && 'ensure' in resource;

function resourcePart(resource: AnyResource): DocumentPart {
  const listing = { table: resource, json: rulesOf(resource).json ?? jsonExpressions(resource) };
  return isSingleton(resource)
    ? { kind: 'singleton', key: resource.path.replace('/api/', ''), resource, listing }
    : { kind: 'list', key: resource.name, resource, listing };
}

const usersPart = (
  table: Table<unknown, 'both'>,
  columns: readonly string[],
  defaults?: Readonly<Record<string, string>>,
): DocumentPart => ({
  kind: 'users',
  key: table.name,
  listing: { table, json: rowJsonExpressions(table, columns, defaults) },
});

const parts = new Map(
  [
    { kind: 'metadata', key: 'export_created_at' } as const,
    { kind: 'metadata', key: 'server_url' } as const,
    { kind: 'metadata', key: 'database_schema' } as const,
    { kind: 'device', key: 'device', listing: { table: devices, json: rowJsonExpressions(devices) } } as const,
    usersPart(tokenIssuances, ['id', 'device_id', 'exp', 'jti', 'created_at', 'updated_at', 'aud']),
    usersPart(users, ['id', 'created_at', 'updated_at', 'name', 'email', 'language'], {
      language: accountLanguages[defaultLanguage],
    }),
    ...resources.filter(({ options }) => options.exported !== false).map(resourcePart),
  ].map((part) => [part.key, part]),
);

/** The order of the keys that clients know. [rule T2] */
const orderedKeys = [
  ...['export_created_at', 'server_url', 'database_schema', 'tools', 'device', 'fbos_config', 'firmware_config'],
  ...['web_app_config', 'points', 'curves', 'farmware_envs', 'farm_events', 'farmware_installations', 'folders'],
  ...['images', 'logs', 'peripherals', 'pin_bindings', 'plant_templates', 'point_groups', 'regimens'],
  ...['saved_gardens', 'sensor_readings', 'sensors', 'sequences', 'token_issuances', 'telemetries', 'users'],
  ...['webcam_feeds', 'wizard_step_results', 'ai_feedbacks', 'scene_objects'],
];

/** The keys of an exported account in their order; further resources come last. */
export const accountDocument: readonly DocumentPart[] = [...new Set([...orderedKeys, ...parts.keys()])].map((key) => {
  const part = parts.get(key);
  if (!part) throw new Error(`no resource has the key ${key} in exported accounts`);
  return part;
});

const storedParts = accountDocument.filter((part): part is StoredPart => part.kind !== 'metadata');
const listings = storedParts.map(({ listing }) => [listing]);

const emptyList = '[]';

/** Exports accounts as JSON: a snapshot of all records, as responses show them, without limits. [rule T2] */
export class ExportDocument {
  readonly #deviceActivity: DeviceActivity;
  readonly #userActivity: UserActivity;

  /** Both add the activity that is not stored yet. */
  constructor(deviceActivity: DeviceActivity, userActivity: UserActivity) {
    this.#deviceActivity = deviceActivity;
    this.#userActivity = userActivity;
  }

  /** Reads the account of a device. Throws 401 if it was deleted. */
  async read(scope: DeviceScope, address: ServerAddress): Promise<AccountExport> {
    const lists = await this.#readLists(scope);
    const now = scope.clock.now();
    const values = new Map<string, string>([
      // The only time with an offset. [rule T3]
      ['export_created_at', JSON.stringify(timestamp(now).replace('Z', '+00:00'))],
      ['server_url', JSON.stringify(address.issuer)],
      ['database_schema', JSON.stringify(migrations.at(-1)?.number)],
    ]);
    for (const [index, part] of storedParts.entries())
      values.set(part.key, this.#value(part, lists[index] ?? emptyList, now, address));
    const entries = accountDocument.map(({ key }) => `${JSON.stringify(key)}:${values.get(key)}`);
    return {
      text: `{${entries.join(',')}}`,
      files: () =>
        storedParts
          .filter((part) => part.kind === 'list' && rulesOf(part.resource).files)
          .flatMap(({ key }) => JSON.parse(values.get(key) ?? emptyList) as StandardColumns[]),
    };
  }

  /** Reads all rows in one snapshot. Creates missing configs. */
  async #readLists(scope: DeviceScope): Promise<readonly string[]> {
    const lists = await scope.jsonListsInParts(listings);
    const missing = storedParts.flatMap((part, index) =>
      part.kind === 'singleton' && lists[index] === emptyList ? [part.resource] : [],
    );
    if (missing.length === 0) return lists;
    for (const resource of missing) await resource.ensure(scope);
    return scope.jsonListsInParts(listings);
  }

  #value(part: StoredPart, list: string, now: number, address: ServerAddress): string {
    if (part.kind === 'users') return part.listing.table === users ? this.#users(list) : list;
    if (part.kind === 'list') return rulesOf(part.resource).exportedList?.(list, address) ?? list;
    // The device was deleted during the request.
    if (list === emptyList) throw new Failure('bad_token');
    if (part.kind === 'singleton') return list.slice(1, -1);
    const [row] = JSON.parse(list) as [DeviceRow];
    return deviceJson(this.#deviceActivity.overlay(row), now);
  }

  #users(list: string): string {
    const rows = JSON.parse(list) as { id: number; updated_at: Timestamp }[];
    return JSON.stringify(
      rows.map((row) => ({ ...row, updated_at: this.#userActivity.effectiveUpdatedAt(row.id, row.updated_at) })),
    );
  }
}
