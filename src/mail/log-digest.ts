import type { MailedLog } from './fatal-error.ts';
import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

/** Logs with an e-mail channel, newest first. [rule D25] */
export const logDigestMail = (to: string, deviceName: string, logs: readonly MailedLog[]): Mail =>
  renderMail({
    to,
    subject: `New message from ${oneLine(deviceName)}`,
    greeting: `Message from ${oneLine(deviceName)}:`,
    paragraphs: [logs.map(({ time, message }) => `[${time}]: ${message}`).join('\n')],
  });
