import type { UserActivity } from '../accounts/user-activity.ts';
import { migrations } from '../db/migrations/list.ts';
import type { ServerScope } from '../db/scope.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Call, Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { MailTransport } from '../mail/transport.ts';
import { requestOrigin } from '../photos/photo-origins.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { ExportAddress } from './export-document.ts';
import { ExportDocument } from './export-document.ts';
import { exportMails } from './export-mails.ts';
import type { ExportOperations } from './export-operations.ts';
import { exportOperations } from './export-operations.ts';
import { exportRoute } from './export-route.ts';

/** What exports need of the rest of the program. */
export interface ExportDependencies {
  readonly server: () => ServerScope;
  readonly deviceActivity: Pick<DeviceActivity, 'overlay'>;
  readonly userActivity: Pick<UserActivity, 'effectiveUpdatedAt'>;
  readonly photos: PhotoStorage;
  readonly queue: JobQueue;
  readonly mail: Pick<MailTransport, 'send'>;
  /** There is a mail server: exports leave by mail. [decision 25] */
  readonly sendsMail: boolean;
  /** The `iss` of tokens for whoever reaches the server so: `//host:port`. */
  issuer(call: Pick<Call, 'host' | 'isSecure'>): string;
  /** What links in mail begin with. */
  mailBase(): string;
}

/** All that gives accounts out. */
export interface Exports {
  readonly document: ExportDocument;
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  readonly operations: ExportOperations;
}

/** Puts the exports together. */
export function createExports(dependencies: ExportDependencies): Exports {
  const { server, deviceActivity, userActivity, photos, queue, mail, sendsMail, issuer, mailBase } = dependencies;
  const document = new ExportDocument({
    schema: migrations.at(-1)?.number ?? 0,
    device: (row) => deviceActivity.overlay(row),
    userMovedTo: (id, updatedAt) => userActivity.effectiveUpdatedAt(id, updatedAt),
  });
  const addressFor = (call: Pick<Call, 'host' | 'isSecure'>): ExportAddress => ({
    server: issuer(call),
    base: requestOrigin(call),
  });
  const ownAddress = (): ExportAddress => {
    const { host, protocol } = new URL(mailBase());
    return addressFor({ host, isSecure: protocol === 'https:' });
  };
  return {
    document,
    routes: [exportRoute({ document, photos, queue, mails: sendsMail, address: addressFor })],
    jobs: [exportMails({ document, mail, address: ownAddress })],
    operations: exportOperations({ server, document, photos, address: ownAddress }),
  };
}
