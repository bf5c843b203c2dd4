import type { AccountServices } from '../accounts/services.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Route } from '../engine/route.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { MailTransport } from '../mail/transport.ts';
import { deviceReset, deviceResetRoute } from './device-reset.ts';
import { endOfLifeVersion } from './end-of-life-version.ts';
import { gardenCleanup } from './garden-cleanup.ts';
import type { DeletePhotos } from './garden-deletion.ts';
import { inactiveAccounts } from './inactive-accounts.ts';

export interface UpkeepDependencies {
  readonly accounts: AccountServices;
  readonly deviceActivity: DeviceActivity;
  readonly mail: MailTransport;
  readonly deletePhotos: DeletePhotos;
  /** Whether inactive accounts are warned and deleted. */
  readonly deletesInactiveAccounts: boolean;
  /** E-mail address of an account that is never deleted for inactivity. */
  readonly publisher: string | null;
}

/** Returns the routes of this room. */
export const upkeepRoutes = ({ accounts }: Pick<UpkeepDependencies, 'accounts'>): readonly Route[] => [
  deviceResetRoute(accounts),
];

/** Returns the jobs of this room, most of them periodic. */
export const upkeepJobs = (dependencies: UpkeepDependencies): readonly JobDefinition[] => [
  deviceReset(dependencies.deletePhotos),
  gardenCleanup,
  endOfLifeVersion,
  ...inactiveAccounts({ ...dependencies, isEnabled: dependencies.deletesInactiveAccounts }),
];
