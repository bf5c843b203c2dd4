import type { Mail } from './message.ts';
import { oneLine } from './message.ts';

/** A log in a mail. */
export interface MailedLog {
  /** In the device's time zone. */
  readonly time: string;
  readonly message: string;
}

/** Reports errors of the robot, newest first. Plain text only. [rule A35, D25] */
export const fatalErrorMail = (to: string, deviceName: string, logs: readonly MailedLog[]): Mail => ({
  to,
  subject: `New error reported by ${oneLine(deviceName)}`,
  text: `${oneLine(deviceName)} reported an error that needs your attention:\n\n${logs
    .map(({ time, message }) => `[${time}]: ${message}`)
    .join('\n')}\n`,
});
