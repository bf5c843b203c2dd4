import type { Alert } from './bulletin-alerts.ts';
import type { DeviceActivity } from './device-activity.ts';
import type { LogStore } from './log-store.ts';
import type { Notify } from './notice.ts';
import type { postedLogReader } from './posted-logs.ts';
import type { latestImages } from './releases.ts';
import type { telemetryStore } from './telemetry-store.ts';
import type { localTime } from './time-zones.ts';

/** The offer of the device to other rooms. [ADR 100] */
export interface DeviceOffer {
  readonly activity: DeviceActivity;
  readonly logs: LogStore;
  readonly notify: Notify;
  readonly alert: Alert;
  /** Logs that did not come from the broker. */
  readonly postedLogs: typeof postedLogReader;
  readonly telemetries: typeof telemetryStore;
  readonly latestImages: typeof latestImages;
  readonly localTime: typeof localTime;
}
