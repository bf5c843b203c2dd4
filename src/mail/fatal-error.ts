import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine } from './message.ts';

/** A log in a mail. */
export interface MailedLog {
  /** In the device's time zone, as the recipient's language writes it. */
  readonly time: string;
  readonly message: string;
}

const en = {
  subject: (device: string) => `New error reported by ${device}`,
  beginning: (device: string) => `${device} reported an error that needs your attention:`,
};

const fr: typeof en = {
  subject: (device) => `Nouvelle erreur signalée par ${device}`,
  beginning: (device) => `${device} a signalé une erreur qui demande votre attention :`,
};

const textIn = catalogIn({ en, fr });

/** Returns logs as lines of a mail, with the messages as they are. */
export const logLines = (logs: readonly MailedLog[]): string =>
  logs.map(({ time, message }) => `[${time}]: ${message}`).join('\n');

/** Reports errors of the robot, newest first. Plain text only. [rule A35, D25] */
export function fatalErrorMail(recipient: Recipient, deviceName: string, logs: readonly MailedLog[]): Mail {
  const { subject, beginning } = textIn(recipient.language);
  const device = oneLine(deviceName);
  return { ...recipient, subject: subject(device), text: `${beginning(device)}\n\n${logLines(logs)}\n` };
}
