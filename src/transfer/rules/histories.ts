import { currentTimestamp } from '../../core/clock.ts';
import { aiFeedbacks } from '../../device/ai-feedbacks.ts';
import { newestLogs } from '../../device/log-retention.ts';
import { logs } from '../../device/logs.ts';
import { measurementFields, telemetries } from '../../device/telemetries.ts';
import { wizardStepResults } from '../../device/wizard-step-results.ts';
import { text } from '../../engine/fields.ts';
import { sensorReadings } from '../../garden/sensor-readings.ts';
import type { ReadingRow } from '../../series/series-store.ts';
import { addReadings, addTelemetries } from '../../series/series-store.ts';
import { parseCreationTime } from '../import-report.ts';
import type { TransferRules } from '../transfer-rules.ts';

/** Resources whose records are events. */
export const historyRules: readonly TransferRules[] = [
  {
    resource: logs,
    isHistory: true,
    isWrittenByRobots: true,
    isOrderedById: true,
    async newest(entries, { scope, device, mode }) {
      // The account's own logs stay, although the imported ones come after them.
      const own = mode === 'replace' ? 0 : await scope.count(logs);
      const newestFirst = [...entries].sort((a, b) => b.id - a.id);
      const room = Math.max(0, device.max_log_count - own);
      const kept = newestLogs(newestFirst, room, ({ values }) => values.type);
      return newestFirst.filter((entry) => kept.has(entry)).reverse();
    },
    toRow(row, { sent }, { scope }) {
      const now = currentTimestamp(scope.clock);
      // Imported logs must not be mailed again.
      row.sent_at = now;
      // Their age counts from their receipt by the server that exported them.
      const received = parseCreationTime(sent.updated_at);
      if (received !== null && received < now) row.updated_at = received;
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
