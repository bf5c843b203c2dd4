import { systemClock } from '../core/clock.ts';
import { errorCode } from '../core/system.ts';
import { smtpTransport } from '../mail/transport.ts';
import type { Settings } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';
import { check } from './check-result.ts';

/** Signs in to the mail server, without sending a message. */
export async function checkMail(settings: Settings): Promise<CheckResult> {
  if (settings.SMTP_URL === null)
    return {
      name: 'mail',
      ok: true,
      message: `SMTP_URL is not set: messages are written to files in ${settings.DATA_DIR}/outbox.`,
    };
  const transport = smtpTransport(settings.SMTP_URL, settings.MAIL_FROM, systemClock);
  try {
    return await check(
      'mail',
      async () => {
        try {
          await transport.verify();
        } catch (error) {
          throw new Error(problemOf(error));
        }
        return 'The mail server accepts messages.';
      },
      'SMTP_URL',
    );
  } finally {
    transport.close();
  }
}

/** Returns what is wrong with the mail server, and the remedy. */
function problemOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return errorCode(error) === 'EAUTH'
    ? `the mail server refuses the sign-in (${text}). Correct the user and the password in the URL.`
    : `the mail server cannot be used (${text}). Start it, or correct the host and the port; port 465 needs smtps://.`;
}
