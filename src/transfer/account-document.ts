import { tokenIssuances } from '../accounts/token-issuances.ts';
import { users } from '../accounts/users.ts';
import type { DialectName } from '../db/dialect.ts';
import type { JsonExpressions } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { JsonVariant } from '../engine/serializer.ts';
import { jsonExpressions, jsonVariantExpressions } from '../engine/serializer.ts';
import type { Singleton } from '../engine/singleton.ts';
import { resources } from '../resources.ts';

/**
 * One key of the document that holds a whole account, by what its value is:
 * - `fact`: something about the export itself.
 * - `device`: the device's object.
 * - `record`: the one record of a resource that each device has once; an object.
 * - `records`: all records of a resource, archived and expired ones too, by ascending id; an array.
 * - `people`: rows that belong to sign-ins and never come back through an import; an array.
 */
export type DocumentPart =
  | { readonly holds: 'fact'; readonly key: string; readonly isImported: false }
  | { readonly holds: 'device'; readonly key: string; readonly isImported: true }
  | {
      readonly holds: 'record';
      readonly key: string;
      readonly isImported: true;
      readonly resource: OnePerDevice;
      readonly json: JsonExpressions;
    }
  | {
      readonly holds: 'records';
      readonly key: string;
      readonly isImported: true;
      readonly resource: AnyResource;
      /** What writes one of them. */
      readonly json: JsonExpressions;
    }
  | {
      readonly holds: 'people';
      readonly key: string;
      readonly isImported: false;
      readonly table: Table<unknown, 'both'>;
      /** What is shown of a row, in this order. Nothing else of it leaves the server. */
      readonly shown: readonly string[];
    };

/** A resource of which each device has one record. */
export type OnePerDevice = AnyResource & Pick<Singleton, 'path' | 'ensure'>;

const isOnePerDevice = (resource: AnyResource): resource is OnePerDevice => 'path' in resource && 'ensure' in resource;

/** The resource whose records stand under this key: a singleton under the last word of its path, any other under its table's name. */
function resourceOf(key: string): AnyResource {
  const found = resources.find((one) => (isOnePerDevice(one) ? one.path === `/api/${key}` : one.name === key));
  if (!found) throw new Error(`no resource has the key ${key} in the account document`);
  return found;
}

const fact = (key: string): DocumentPart => ({ holds: 'fact', key, isImported: false });

/** Records as answers show them, unless it says in what they differ. */
const kept = (key: string, differences?: Omit<JsonVariant, 'key'>): DocumentPart => {
  const resource = resourceOf(key);
  const json = differences
    ? jsonVariantExpressions(resource, { key: 'export', ...differences })
    : jsonExpressions(resource);
  return isOnePerDevice(resource)
    ? { holds: 'record', key, isImported: true, resource, json }
    : { holds: 'records', key, isImported: true, resource, json };
};

const owned = ['id', 'device_id'];

/** Archived plants and tool slots say when they were archived, too, which answers leave out: they would come back to life in an import. */
const withArchive = (part: DocumentPart): DocumentPart => {
  if (part.holds !== 'records') return part;
  const archived = jsonVariantExpressions(part.resource, { key: 'archived', everywhere: ['discarded_at'] });
  const either = (dialect: DialectName): string =>
    `case when "${part.resource.name}"."discarded_at" is null then ${part.json[dialect]} else ${archived[dialect]} end`;
  return { ...part, json: { key: 'export', sqlite: either('sqlite'), postgres: either('postgres') } };
};

const people = (table: Table<unknown, 'both'>, shown: readonly string[]): DocumentPart => ({
  holds: 'people',
  key: table.name,
  isImported: false,
  table,
  shown,
});

/** Every key of `export_data` in its order. [reference 2] Of the resources only {@link unexported} is missing. */
export const accountDocument: readonly DocumentPart[] = [
  fact('export_created_at'),
  fact('server_url'),
  fact('database_schema'),
  kept('tools'),
  { holds: 'device', key: 'device', isImported: true },
  // Answers always say true there.
  kept('fbos_config', { first: owned, stored: ['disable_factory_reset'] }),
  kept('firmware_config', { first: owned }),
  kept('web_app_config', { first: owned }),
  withArchive(kept('points')),
  kept('curves'),
  kept('farmware_envs', { first: [...owned, 'key', 'value'] }),
  kept('farm_events'),
  kept('farmware_installations'),
  kept('folders'),
  kept('images'),
  kept('logs'),
  kept('peripherals'),
  kept('pin_bindings'),
  kept('plant_templates', {
    first: ['id', 'saved_garden_id', 'device_id', 'radius', 'x', 'y', 'z', 'name', 'openfarm_slug'],
  }),
  kept('point_groups'),
  kept('regimens'),
  kept('saved_gardens', { first: ['id', 'name', 'device_id'] }),
  kept('sensor_readings'),
  kept('sensors'),
  kept('sequences'),
  people(tokenIssuances, ['id', 'device_id', 'exp', 'jti', 'created_at', 'updated_at', 'aud']),
  kept('telemetries'),
  people(users, ['id', 'created_at', 'updated_at', 'name', 'email', 'language']),
  kept('webcam_feeds'),
  kept('wizard_step_results'),
  kept('ai_feedbacks'),
  kept('scene_objects'),
];

/** Resources that are no part of the document: messages of the server to the people of a device. [reference 2] */
export const unexported: readonly string[] = ['alerts'];

/** What the vendor's service had not from its beginning. */
const younger: ReadonlySet<string> = new Set([
  'ai_feedbacks',
  'curves',
  'folders',
  'point_groups',
  'telemetries',
  'wizard_step_results',
]);

/** Whether documents of another time or of the vendor's may lack a key: it came later, or is an addition of ours. */
export const mayBeMissing = (part: DocumentPart): boolean =>
  younger.has(part.key) || (part.holds === 'records' && part.resource.options.addition === true);
