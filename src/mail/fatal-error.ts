import type { Mail } from './message.ts';
import { oneLine } from './message.ts';

/** One log entry of a notice: its time in the device's time zone, and what it says. */
export interface ToldLog {
  readonly time: string;
  readonly message: string;
}

/** Tells the owner of serious errors that the robot reported, the newest first. Plain text only. [Spec Events] */
export const fatalErrorMail = (to: string, deviceName: string, logs: readonly ToldLog[]): Mail => ({
  to,
  subject: `New error reported by ${oneLine(deviceName)}`,
  text: `${oneLine(deviceName)} reported an error that needs your attention:\n\n${logs
    .map(({ time, message }) => `[${time}]: ${message}`)
    .join('\n')}\n`,
});
