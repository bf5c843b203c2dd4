import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { announceChanged } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import { addTelemetries } from '../series/series-store.ts';
import { ownDevice } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { keptTelemetries, measurementFields, telemetries } from './telemetries.ts';

/** A parsed telemetry. */
export type TelemetryValues = Insertable<RowOf<typeof telemetries>>;

/** Version of robots that never sent one. [rule D31] */
const unknownVersion = '0.0.0';

/** Stores telemetry from the broker. [rule D31] */
export const telemetryStore = {
  /** Parses a telemetry. Throws 422. */
  read(body: Body): TelemetryValues {
    const parsed = parseBody(measurementFields, body, 'create', telemetries.options.coercion);
    assertValid(parsed);
    return parsed.values as TelemetryValues;
  },

  /** Stores parsed telemetries in order, inside a transaction, and announces them. */
  async storeAll(scope: DeviceScope, all: readonly TelemetryValues[]): Promise<void> {
    const { fbos_version } = await ownDevice(scope);
    const { firmware_hardware } = await loadSingleton(scope, fbosConfig);
    const known = { fbos_version: fbos_version ?? unknownVersion, firmware_hardware };
    const rows = await scope.insertAll(
      telemetries,
      all.map((values) => ({ ...values, ...known })),
    );
    await addTelemetries(scope, rows);
    for (const { id } of rows) announceChanged(scope, telemetries, id);
    scheduleTrim(scope, telemetries, (later) => later.trim(telemetries, keptTelemetries));
  },
};
