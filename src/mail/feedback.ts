import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine } from './message.ts';

export interface MailedFeedback {
  readonly id: number;
  readonly device_id: number;
  readonly email: string;
  readonly slug: string | null;
  readonly message: string;
}

const en = {
  subject: (email: string) => `Feedback from ${email}`,
  beginning: (email: string, device: number, page: string) => `${email} (device ${device}${page}) wrote:`,
  end: (command: string) => `The message is stored until you remove it: ${command}`,
};

const fr: typeof en = {
  subject: (email) => `Commentaire de ${email}`,
  beginning: (email, device, page) => `${email} (appareil ${device}${page}) a écrit :`,
  end: (command) => `Le message est conservé jusqu’à ce que vous le supprimiez : ${command}`,
};

const textIn = catalogIn({ en, fr });

/** Sent to the operator for each message of a user. Plain text only. */
export function feedbackMail(recipient: Recipient, { id, device_id, email, slug, message }: MailedFeedback): Mail {
  const { subject, beginning, end } = textIn(recipient.language);
  const page = slug === null ? '' : `, ${oneLine(slug)}`;
  return {
    ...recipient,
    subject: subject(oneLine(email)),
    text: `${beginning(email, device_id, page)}\n\n${message}\n\n${end(`potager feedback remove ${id}`)}\n`,
  };
}
