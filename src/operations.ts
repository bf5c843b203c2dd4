import { registerAccount, setPassword } from './accounts/registration.ts';
import type { AccountServices } from './accounts/services.ts';
import { userByEmail, users } from './accounts/users.ts';
import { currentTimestamp } from './core/clock.ts';
import type { ServerScope } from './db/scope.ts';
import type { DeviceLimits } from './device/device-limits.ts';
import { changeLimits } from './device/device-limits.ts';
import type { JobQueue } from './jobs/queue.ts';
import type { BulletinOperations } from './operating/bulletin-operations.ts';
import { bulletinOperations } from './operating/bulletin-operations.ts';
import type { ReleaseOperations } from './operating/release-operations.ts';
import { releaseOperations } from './operating/release-operations.ts';
import type { ReloadOperations } from './operating/reload-announcement.ts';
import { reloadOperations } from './operating/reload-announcement.ts';
import type { AuthorDirectory } from './programs/publishing.ts';
import { findSequenceOwner, publishSequence } from './programs/publishing.ts';
import type { ExportOperations, ImportOperations } from './transfer/transfer.ts';

/** Operations of the command line. */
export interface Operations {
  readonly users: {
    create(email: string, name: string, password: string): Promise<{ id: number }>;
    list(): Promise<{ id: number; email: string; name: string; device_id: number; confirmed: boolean }[]>;
    /** Returns false if the account does not exist. */
    resetPassword(email: string, password: string): Promise<boolean>;
  };
  readonly devices: {
    /** Changes limits of the account's device. Returns false if the account does not exist. */
    setLimits(email: string, limits: Partial<DeviceLimits>): Promise<boolean>;
  };
  readonly sequences: {
    /** Publishes a sequence, whatever its steps. `copyright` defaults to the current one, or the owner's name. Returns false if the sequence does not exist. */
    publish(id: number, copyright?: string): Promise<boolean>;
  };
  readonly releases: ReleaseOperations;
  readonly bulletins: BulletinOperations;
  readonly reload: ReloadOperations;
  readonly exports: ExportOperations;
  readonly imports: ImportOperations;
}

export interface OperationsOptions {
  readonly server: () => ServerScope;
  readonly accounts: AccountServices;
  readonly authors: AuthorDirectory;
  readonly queue: JobQueue;
  readonly exports: ExportOperations;
  readonly imports: ImportOperations;
  /** Name of the running build. */
  readonly revision: string;
}

/** Creates the operations. */
export function createOperations({
  server,
  accounts,
  authors,
  queue,
  exports,
  imports,
  revision,
}: OperationsOptions): Operations {
  return {
    users: {
      async create(email, name, password) {
        const { id } = await registerAccount(accounts, server(), {
          email,
          name,
          password,
          passwordConfirmation: password,
          isPreverified: true,
        });
        return { id };
      },
      async list() {
        const rows = await server().rows(users);
        return rows.map(({ id, email, name, device_id, confirmed_at }) => ({
          id,
          email,
          name: name ?? '',
          device_id,
          confirmed: confirmed_at !== null,
        }));
      },
      async resetPassword(email, password) {
        const user = await userByEmail(server(), email);
        if (user) await setPassword(accounts, server(), user, password);
        return user !== undefined;
      },
    },
    devices: {
      async setLimits(email, limits) {
        const user = await userByEmail(server(), email);
        if (user)
          await server()
            .device(user.device_id)
            .transaction((scope) => changeLimits(scope, limits));
        return user !== undefined;
      },
    },
    sequences: {
      async publish(id, copyright) {
        const owner = await findSequenceOwner(server(), id);
        if (!owner) return false;
        await server()
          .device(owner.deviceId)
          .transaction(async (scope) => {
            const [user] = await scope.rows(users);
            const fallback = `Copyright ${currentTimestamp(server().clock).slice(0, 4)} ${user?.name ?? ''}`;
            const body = { copyright: copyright ?? owner.copyright ?? fallback };
            await publishSequence(scope, authors, { sequenceId: id, body, force: true });
          });
        return true;
      },
    },
    releases: releaseOperations({ server }),
    bulletins: bulletinOperations({ server }),
    reload: reloadOperations({ server, queue, revision }),
    exports,
    imports,
  };
}
