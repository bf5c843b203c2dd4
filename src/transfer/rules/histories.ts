import { currentTimestamp } from '../../core/clock.ts';
import { aiFeedbacks } from '../../device/ai-feedbacks.ts';
import { logRetention } from '../../device/log-store.ts';
import { logs } from '../../device/logs.ts';
import { measurementFields, telemetries } from '../../device/telemetries.ts';
import { wizardStepResults } from '../../device/wizard-step-results.ts';
import { text } from '../../engine/fields.ts';
import { sensorReadings } from '../../garden/sensor-readings.ts';
import type { ReadingRow } from '../../series/series-store.ts';
import { addReadings, addTelemetries } from '../../series/series-store.ts';
import type { TransferRules } from '../transfer-rules.ts';

/** Resources whose records are events. */
export const historyRules: readonly TransferRules[] = [
  {
    resource: logs,
    isHistory: true,
    isWrittenByRobots: true,
    maxKept: (device, now) => logRetention(device, now).maxRows,
    toRow(row, _entry, { scope }) {
      // Imported logs must not be mailed again.
      row.sent_at = currentTimestamp(scope.clock);
    },
  },
  {
    resource: telemetries,
    isHistory: true,
    isWrittenByRobots: true,
    isOptional: true,
    // Robots publish names of newer boards, and versions, that the API does not accept.
    fields: {
      ...telemetries.fields,
      ...measurementFields,
      fbos_version: text().max(20).nullByDefault(),
      firmware_hardware: text().max(20).nullByDefault(),
    },
    afterInsert: (entries, writer) =>
      addTelemetries(
        writer.scope,
        entries.map((entry) => {
          const created_at = entry.createdAt ?? currentTimestamp(writer.scope.clock);
          return { ...entry.values, id: writer.storedId(telemetries.name, entry), created_at };
        }),
      ),
  },
  {
    resource: sensorReadings,
    isHistory: true,
    nullValues: { read_at: ({ created_at }) => created_at },
    afterInsert: (entries, writer) =>
      addReadings(
        writer.scope,
        entries.map((entry) => ({
          // The fields of a reading, parsed.
          ...(entry.values as unknown as ReadingRow),
          id: writer.storedId(sensorReadings.name, entry),
        })),
      ),
  },
  { resource: aiFeedbacks, isHistory: true, isOptional: true },
  { resource: wizardStepResults, isHistory: true, isOptional: true },
];
