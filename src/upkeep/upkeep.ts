import type { AccountServices } from '../accounts/services.ts';
import type { DeviceTraffic } from '../device/traffic.ts';
import type { Route } from '../engine/route.ts';
import type { JobKind } from '../jobs/runner.ts';
import type { MailTransport } from '../mail/transport.ts';
import { gardenTidying } from './clean-ups.ts';
import { deviceReset, deviceResetRoute } from './device-reset.ts';
import { endOfLifeVersion } from './end-of-life-version.ts';
import type { ForgetPhotos } from './garden.ts';
import { inactiveAccounts } from './inactive-accounts.ts';

export interface UpkeepParts {
  readonly accounts: AccountServices;
  readonly traffic: DeviceTraffic;
  readonly mail: MailTransport;
  readonly forgetPhotos: ForgetPhotos;
  /** Whether accounts that nobody uses are warned and deleted. */
  readonly endsInactiveAccounts: boolean;
  /** The account that is never deleted for that. */
  readonly publisher: string | null;
}

/** The routes of this room. */
export const upkeepRoutes = ({ accounts }: Pick<UpkeepParts, 'accounts'>): readonly Route[] => [
  deviceResetRoute(accounts),
];

/** The jobs of this room, most of them done again and again. */
export const upkeepJobs = (parts: UpkeepParts): readonly JobKind[] => [
  deviceReset(parts.forgetPhotos),
  gardenTidying,
  endOfLifeVersion,
  ...inactiveAccounts({ ...parts, isOn: parts.endsInactiveAccounts }),
];
