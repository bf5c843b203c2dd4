import type { DeviceScope, Selection } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import type { AnyResource } from '../engine/resource.ts';
import { points } from '../garden/points.ts';
import { usualLimits } from '../programs/sequence-limits.ts';
import { sequences } from '../programs/sequences.ts';
import { accountDocument } from './account-document.ts';
import { histories } from './import-fields.ts';

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

/** Whether a device holds nothing but what sign-up made. */
export async function isEmpty(scope: DeviceScope): Promise<boolean> {
  for (const resource of listedResources) if ((await scope.count(resource)) > 0) return false;
  return true;
}

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
}

/** The limits of the scope's own device. [reference 2.7] */
export async function limitsOf(scope: DeviceScope): Promise<GardenLimits> {
  const { max_sequence_length: steps, max_sequence_count: count } = await ownDevice(scope);
  return { steps: steps > 0 ? steps : usualLimits.steps, sequences: count > 0 ? count : usualLimits.sequences };
}

/** How many records of a table a device may have; null: any number. */
export const mostOf = (resource: AnyResource, limits: GardenLimits): number | null =>
  resource.name === sequences.name ? limits.sequences : (resource.options.limit?.count ?? null);
