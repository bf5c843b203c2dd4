import { measurementFields, telemetries } from '../../device/telemetries.ts';
import { text } from '../../engine/fields.ts';
import type { TransferRules } from '../transfer-rules.ts';

export const telemetryRules: TransferRules = {
  resource: telemetries,
  isHistory: true,
  isWrittenByRobots: true,
  isOptional: true,
  // As robots publish them: newer boards have other names than those that requests may have.
  fields: { ...telemetries.fields, ...measurementFields, firmware_hardware: text().max(20).nullByDefault() },
};
