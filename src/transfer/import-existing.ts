import type { DeviceScope, Selection } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { logRetention } from '../device/log-store.ts';
import { logs } from '../device/logs.ts';
import { telemetries } from '../device/telemetries.ts';
import type { AnyResource } from '../engine/resource.ts';
import { points } from '../garden/points.ts';
import { images } from '../photos/images.ts';
import { defaultLimits } from '../programs/sequence-limits.ts';
import { sequences } from '../programs/sequences.ts';
import { accountDocument } from './account-document.ts';
import { histories } from './import-fields.ts';
import { mostEntries, mostOfAKind } from './import-limits.ts';

/** Resources of which a document holds lists. */
export const listedResources: readonly AnyResource[] = accountDocument.flatMap((part) =>
  part.holds === 'records' ? [part.resource] : [],
);

/** The fields whose values no two records of a device share. */
export const uniqueFields = (resource: AnyResource): string[] =>
  Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.isUnique);

/** What a device holds already, as far as an import must know it. */
export interface ExistingGarden {
  /** Records by table, unique field and its value. */
  readonly unique: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<unknown, number>>>;
  /** How many records there are, by table. */
  readonly counts: ReadonlyMap<string, number>;
  /** Tools that sit in slots. */
  readonly placedTools: ReadonlySet<number>;
}

/** An account that holds nothing, or nothing that stays. */
export const emptyExisting: ExistingGarden = { unique: new Map(), counts: new Map(), placedTools: new Set() };

const idsBy = (field: string): Selection<[unknown, number]> => ({
  key: `id by ${field}`,
  expressions: [`"${field}"`, '"id"'],
  read: ([value, id]) => [value, Number(id)],
});

/** Reads what a device holds. */
export async function readExisting(scope: DeviceScope): Promise<ExistingGarden> {
  const unique = new Map<string, Map<string, Map<unknown, number>>>();
  const counts = new Map<string, number>();
  for (const resource of listedResources) {
    counts.set(resource.name, await scope.count(resource));
    const fields = uniqueFields(resource);
    const values = new Map<string, Map<unknown, number>>();
    for (const field of fields) values.set(field, new Map(await scope.select(resource, idsBy(field))));
    unique.set(resource.name, values);
  }
  const placed = await scope.rows(points, { where: { tool_id: { not: null } } });
  return { unique, counts, placedTools: new Set(placed.flatMap(({ tool_id }) => tool_id ?? [])) };
}

/** What robots write without being asked as soon as they are online: nobody made it, and it hinders nobody. */
const byThemselves: ReadonlySet<string> = new Set([logs.name, telemetries.name]);

/** What a device holds besides what sign-up made and its robot writes by itself, in words: `2 tools`. Empty: nothing. */
export async function holdings(scope: DeviceScope): Promise<string[]> {
  const found: string[] = [];
  for (const resource of listedResources) {
    if (byThemselves.has(resource.name)) continue;
    const count = await scope.count(resource);
    if (count > 0) found.push(`${count} ${count === 1 ? resource.singular.toLowerCase() : spoken(resource)}`);
  }
  return found;
}

/** The records of a resource as people say it: `webcam_feeds` → `webcam feeds`. */
export const spoken = ({ name }: AnyResource): string => name.replaceAll('_', ' ');

/** A text that differs when anything of the garden has changed. What robots add all the time does not count. */
export async function stateOf(scope: DeviceScope): Promise<string> {
  const parts: string[] = [];
  for (const resource of listedResources) {
    if (histories.has(resource.name)) continue;
    const newest = await scope.first(resource, { order: [['updated_at', 'desc']] });
    parts.push(`${resource.name} ${await scope.count(resource)} ${newest?.updated_at ?? ''}`);
  }
  return parts.join(';');
}

/** How much a device may hold. */
export interface GardenLimits {
  readonly steps: number;
  readonly sequences: number;
  /** The newest logs that stay. */
  readonly logs: number;
}

/** The limits of the scope's own device. [reference 2.7] */
export async function limitsOf(scope: DeviceScope): Promise<GardenLimits> {
  const device = await ownDevice(scope);
  const { max_sequence_length: steps, max_sequence_count: count } = device;
  return {
    steps: steps > 0 ? steps : defaultLimits.steps,
    sequences: count > 0 ? count : defaultLimits.sequences,
    logs: logRetention(device, scope.clock.now()).maxRows,
  };
}

/** How many of the newest records of a table stay with a device; null: all of them. */
export const keptOf = (resource: AnyResource, limits: GardenLimits): number | null =>
  resource.name === logs.name ? limits.logs : (resource.options.maxKept ?? null);

/** How many records of a table an import takes, where a device may have any number. Photos are limited by their archive. */
export const mostTakenOf = ({ name }: AnyResource): number => (name === images.name ? mostEntries : mostOfAKind);

/** How many records of a table a device may have; null: any number. */
export const mostOf = (resource: AnyResource, limits: GardenLimits): number | null =>
  resource.name === sequences.name ? limits.sequences : (resource.options.limit?.count ?? null);
