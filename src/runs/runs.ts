import type { AccountsOffer } from '../accounts/offer.ts';
import { resourceRoutes } from '../engine/resource-routes.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { GardenOffer } from '../garden/offer.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { ProgramsOffer } from '../programs/offer.ts';
import { runs } from './run-records.ts';
import { runRoutes } from './run-routes.ts';
import { RunWorker } from './run-worker.ts';

/** The rooms that runs depend on. */
export interface RunDependencies {
  readonly accounts: AccountsOffer;
  readonly garden: GardenOffer;
  readonly programs: ProgramsOffer;
  readonly live: LiveOffer;
}

/** Opens the runs over several places. */
export function openRuns({ queue }: Foundation, dependencies: RunDependencies): Room {
  const worker = new RunWorker({ queue, ...dependencies });
  return {
    routes: [...resourceRoutes(runs), ...runRoutes({ worker, ...dependencies })],
    jobs: [worker.job],
    drain: () => worker.stop(),
  };
}
