import { currentTimestamp } from '../../core/clock.ts';
import { logRetention } from '../../device/log-store.ts';
import { logs } from '../../device/logs.ts';
import type { TransferRules } from '../transfer-rules.ts';

export const logRules: TransferRules = {
  resource: logs,
  isHistory: true,
  isWrittenByRobots: true,
  maxKept: (device, now) => logRetention(device, now).maxRows,
  toRow(row, _entry, { scope }) {
    // Imported logs must not be mailed again.
    row.sent_at = currentTimestamp(scope.clock);
  },
};
