import { catalogIn } from '../core/catalog.ts';
import type { MailedLog } from './fatal-error.ts';
import { logLines } from './fatal-error.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine, renderMail } from './message.ts';

const en = {
  subject: (device: string) => `New message from ${device}`,
  greeting: (device: string) => `Message from ${device}:`,
};

const fr: typeof en = {
  subject: (device) => `Nouveau message de ${device}`,
  greeting: (device) => `Message de ${device} :`,
};

const textIn = catalogIn({ en, fr });

/** Logs with an e-mail channel, newest first. [rule D25] */
export function logDigestMail(recipient: Recipient, deviceName: string, logs: readonly MailedLog[]): Mail {
  const { subject, greeting } = textIn(recipient.language);
  const device = oneLine(deviceName);
  return renderMail(recipient, { subject: subject(device), greeting: greeting(device), paragraphs: [logLines(logs)] });
}
