import { users } from '../accounts/users.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { accountExportMail } from '../mail/account-export.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { ExportAddress, ExportDocument } from './export-document.ts';

const exportMailJob = 'account_export_mail';

/** Exports that are mailed at once: each is in memory whole. */
const mailedAtOnce = 1;

/** Has the account mailed to each of its people. One job for each: a mail that cannot be sent repeats alone. */
export function mailExports(scope: DeviceScope, queue: JobQueue): Promise<void> {
  const { deviceId } = scope;
  return scope.transaction(async (inner) => {
    for (const { id } of await inner.rows(users))
      await queue.enqueue(inner.server, exportMailJob, { user_id: id }, { deviceId, maxAttempts: maxMailAttempts });
  });
}

interface Parts {
  readonly document: ExportDocument;
  readonly mail: Pick<MailTransport, 'send'>;
  /** Not a request's: a forged one would stay in the mail. */
  readonly address: () => ExportAddress;
}

/** The job that mails an account to one of its people, as it is by then. */
export const exportMails = ({ document, mail, address }: Parts): JobDefinition => ({
  kind: exportMailJob,
  concurrency: mailedAtOnce,
  async handle(server, { user_id: id }) {
    const user = typeof id === 'number' ? await server.first(users, { where: { id } }) : undefined;
    if (!user) return;
    const { text } = await document.read(server.device(user.device_id), address());
    await mail.send(accountExportMail(user.email, user.name ?? user.email, Buffer.from(text)));
  },
});
