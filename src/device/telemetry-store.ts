import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { announceChanged } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import { ownDevice } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { measurementFields, telemetries } from './telemetries.ts';

/** A telemetry that was read and may be stored. */
export type TelemetryValues = Insertable<RowOf<typeof telemetries>>;

/** The version of robots that never said theirs. [reference 13.2] */
const unknownVersion = '0.0.0';

/** Telemetries as robots send them: what the server knows of the robot is not read from them. [reference 13.2] */
export const telemetryStore = {
  /** Reads a telemetry by the names of its fields. Throws 422. */
  read(body: Body): TelemetryValues {
    const reading = parseBody(measurementFields, body, 'create', telemetries.options.coercion);
    assertValid(reading);
    return reading.values as TelemetryValues;
  },

  /** Stores telemetries that were read, in their order, inside a transaction, and announces them. */
  async storeAll(scope: DeviceScope, all: readonly TelemetryValues[]): Promise<void> {
    const { fbos_version } = await ownDevice(scope);
    const { firmware_hardware } = await loadSingleton(scope, fbosConfig);
    const known = { fbos_version: fbos_version ?? unknownVersion, firmware_hardware };
    const rows = await scope.insertAll(
      telemetries,
      all.map((values) => ({ ...values, ...known })),
    );
    for (const { id } of rows) announceChanged(scope, telemetries, id);
    if (telemetries.options.maxKept) scheduleTrim(scope, telemetries, telemetries.options.maxKept);
  },
};
