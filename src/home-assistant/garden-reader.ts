import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import type { ShownGarden } from './discovery.ts';

/** Components of a kind that are shown. */
const maxRecords = 100;

type Named = { readonly id: number; readonly pin: number; readonly mode: number; readonly label: string };

/** The records of gardens that are shown. */
export interface GardenTables {
  readonly peripherals: Table<Named, 'device'>;
  readonly sensors: Table<Named, 'device'>;
  readonly sequences: Table<{ readonly id: number; readonly name: string; readonly pinned: boolean }, 'device'>;
  /** Returns the name of the scope's device. */
  readonly nameOf: (scope: DeviceScope) => Promise<string>;
  /** Returns the URL of the newest photo; null: none. */
  readonly photoOf: (scope: DeviceScope) => Promise<string | null>;
  /** Returns the newest version of the robot's software; null: unknown. */
  readonly latestVersion: (server: ServerScope) => Promise<string | null>;
}

/** Reads what is shown of a garden. */
export async function readGarden(scope: DeviceScope, tables: GardenTables): Promise<ShownGarden> {
  const limit = maxRecords;
  const named = ({ id, pin, label }: Named) => ({ id, pin, name: label });
  return {
    name: await tables.nameOf(scope),
    peripherals: (await scope.rows(tables.peripherals, { limit })).map(named),
    sensors: (await scope.rows(tables.sensors, { where: { mode: 1 }, limit })).map(named),
    sequences: (await scope.rows(tables.sequences, { where: { pinned: true }, limit })).map(({ id, name }) => ({
      id,
      name,
    })),
    photo: await tables.photoOf(scope),
    latestVersion: await tables.latestVersion(scope.server),
  };
}
