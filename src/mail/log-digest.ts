import type { ToldLog } from './fatal-error.ts';
import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

/** Messages that a robot wants its owner to have by mail, the newest first. */
export const logDigestMail = (to: string, deviceName: string, logs: readonly ToldLog[]): Mail =>
  letter({
    to,
    subject: `New message from ${oneLine(deviceName)}`,
    greeting: `${oneLine(deviceName)} says:`,
    paragraphs: [logs.map(({ time, message }) => `[${time}]: ${message}`).join('\n')],
  });
