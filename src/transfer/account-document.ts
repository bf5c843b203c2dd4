import { tokenIssuances } from '../accounts/token-issuances.ts';
import { users } from '../accounts/users.ts';
import type { JsonExpressions } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { AnyResource } from '../engine/resource.ts';
import { jsonExpressions } from '../engine/serializer.ts';
import type { Singleton } from '../engine/singleton.ts';
import { resources } from '../resources.ts';
import { rulesOf } from './rules/rule-list.ts';

/** A resource of which each device has one record. */
export type AnySingleton = AnyResource & Pick<Singleton, 'path' | 'ensure'>;

/**
 * A key of an exported account, by what its value is:
 * - `metadata`: a property of the export itself.
 * - `device`: the device's object.
 * - `singleton`: the object of a resource that each device has once.
 * - `list`: all records of a resource by ascending id, including archived and expired ones.
 * - `users`: rows of users and their sessions, which are never imported.
 */
export type DocumentPart = { readonly key: string } & (
  | { readonly kind: 'metadata' | 'device' }
  | { readonly kind: 'singleton'; readonly resource: AnySingleton; readonly json: JsonExpressions }
  | { readonly kind: 'list'; readonly resource: AnyResource; readonly json: JsonExpressions }
  | {
      readonly kind: 'users';
      readonly table: Table<unknown, 'both'>;
      /** The exported columns, in order. */
      readonly columns: readonly string[];
    }
);

const isSingleton = (resource: AnyResource): resource is AnySingleton => 'path' in resource && 'ensure' in resource;

/** Returns the key of a resource: the last segment of a singleton's path, else the name of its table. */
const keyOf = (resource: AnyResource): string =>
  isSingleton(resource) ? resource.path.replace('/api/', '') : resource.name;

const resourcesByKey = new Map(
  resources.filter(({ options }) => options.exported !== false).map((resource) => [keyOf(resource), resource]),
);

const otherParts: ReadonlyMap<string, DocumentPart> = new Map(
  (
    [
      { kind: 'metadata', key: 'export_created_at' },
      { kind: 'metadata', key: 'server_url' },
      { kind: 'metadata', key: 'database_schema' },
      { kind: 'device', key: 'device' },
      {
        kind: 'users',
        key: 'token_issuances',
        table: tokenIssuances,
        columns: ['id', 'device_id', 'exp', 'jti', 'created_at', 'updated_at', 'aud'],
      },
      {
        kind: 'users',
        key: 'users',
        table: users,
        columns: ['id', 'created_at', 'updated_at', 'name', 'email', 'language'],
      },
    ] satisfies DocumentPart[]
  ).map((part) => [part.key, part]),
);

/** The order of the keys that clients know. [rule T2] */
const orderedKeys = [
  ...['export_created_at', 'server_url', 'database_schema', 'tools', 'device', 'fbos_config', 'firmware_config'],
  ...['web_app_config', 'points', 'curves', 'farmware_envs', 'farm_events', 'farmware_installations', 'folders'],
  ...['images', 'logs', 'peripherals', 'pin_bindings', 'plant_templates', 'point_groups', 'regimens'],
  ...['saved_gardens', 'sensor_readings', 'sensors', 'sequences', 'token_issuances', 'telemetries', 'users'],
  ...['webcam_feeds', 'wizard_step_results', 'ai_feedbacks', 'scene_objects'],
];

function partOf(key: string): DocumentPart {
  const other = otherParts.get(key);
  if (other) return other;
  const resource = resourcesByKey.get(key);
  if (!resource) throw new Error(`no resource has the key ${key} in exported accounts`);
  const json = rulesOf(resource).json ?? jsonExpressions(resource);
  return isSingleton(resource) ? { kind: 'singleton', key, resource, json } : { kind: 'list', key, resource, json };
}

/** The keys of an exported account in their order; further resources come last. */
export const accountDocument: readonly DocumentPart[] = [...new Set([...orderedKeys, ...resourcesByKey.keys()])].map(
  partOf,
);

/** Whether a document can lack a key: the vendor added it later, or it is an addition of Potager's. */
export const isOptional = (part: DocumentPart): boolean =>
  part.kind === 'list' && (rulesOf(part.resource).isOptional === true || part.resource.options.addition === true);
