import type { Mail } from './message.ts';
import { oneLine } from './message.ts';

export interface MailedFeedback {
  readonly id: number;
  readonly device_id: number;
  readonly email: string;
  readonly slug: string | null;
  readonly message: string;
}

/** Sent to the operator for each message of a user. Plain text only. */
export const feedbackMail = (to: string, { id, device_id, email, slug, message }: MailedFeedback): Mail => ({
  to,
  subject: `Feedback from ${oneLine(email)}`,
  text: `${email} (device ${device_id}${slug === null ? '' : `, ${oneLine(slug)}`}) wrote:\n\n${message}\n\nThe message is stored until you remove it: potager feedback remove ${id}\n`,
});
