import { measurementFields, telemetries } from '../../device/telemetries.ts';
import { text } from '../../engine/fields.ts';
import type { TransferRules } from '../transfer-rules.ts';

export const telemetryRules: TransferRules = {
  resource: telemetries,
  isHistory: true,
  isWrittenByRobots: true,
  isOptional: true,
  // Robots publish names of newer boards that the API does not accept.
  fields: { ...telemetries.fields, ...measurementFields, firmware_hardware: text().max(20).nullByDefault() },
};
