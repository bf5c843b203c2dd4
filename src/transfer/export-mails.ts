import { users } from '../accounts/users.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { accountExportMail } from '../mail/account-export.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { ExportDocument } from './export-document.ts';
import type { ServerAddress } from './transfer-rules.ts';

const exportMailJob = 'account_export_mail';

/** Enqueues a mail with the account to each of its users. Each is a job, so that it is retried alone. */
export function mailExports(scope: DeviceScope, queue: JobQueue): Promise<void> {
  const { deviceId } = scope;
  return scope.transaction(async (inner) => {
    for (const { id } of await inner.rows(users))
      await queue.enqueue(inner.server, exportMailJob, { user_id: id }, { deviceId, maxAttempts: maxMailAttempts });
  });
}

interface ExportMailDependencies {
  readonly document: ExportDocument;
  readonly mail: Pick<MailTransport, 'send'>;
  /** Returns the configured address: that of a request could be forged. */
  readonly address: () => ServerAddress;
}

/** The job that mails the current state of an account to a user. */
export const exportMails = ({ document, mail, address }: ExportMailDependencies): JobDefinition => ({
  kind: exportMailJob,
  // An exported account is held in memory.
  concurrency: 1,
  async handle(server, { user_id: id }) {
    const user = typeof id === 'number' ? await server.first(users, { where: { id } }) : undefined;
    if (!user) return;
    const { text } = await document.read(server.device(user.device_id), address());
    await mail.send(accountExportMail(user.email, user.name ?? user.email, Buffer.from(text)));
  },
});
