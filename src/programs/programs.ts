import type { AccountsOffer } from '../accounts/offer.ts';
import type { Gardens } from '../device/gardens.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { calendarFeedRoutes, calendarRoute } from './calendar-routes.ts';
import { showCorpus } from './corpus-routes.ts';
import { farmEventPurge } from './farm-event-purge.ts';
import { farmEventRoutes } from './farm-event-routes.ts';
import { occurrenceRoutes } from './occurrence-routes.ts';
import type { ProgramsOffer } from './offer.ts';
import { programCheckRoutes } from './program-check-routes.ts';
import { featuredRoute, publishingRoutes } from './publishing-routes.ts';
import { regimenRoutes } from './regimen-routes.ts';
import { commandSchema, robotRequest } from './robot-requests.ts';
import { occurrencesBetween, readSchedule } from './schedule.ts';
import { sequenceRoutes } from './sequence-routes.ts';

/** The settings and rooms that programs depend on. */
export interface ProgramDependencies {
  readonly accounts: AccountsOffer;
  readonly gardens: Gardens;
  readonly quotas: Quotas;
  /** The e-mail address of the account whose sequences are featured; null: none are. */
  readonly publisher: string | null;
}

/** Opens the programs: the command language, and sequences, regimens and farm events, which are written in it. */
export const openPrograms = (
  { queue }: Foundation,
  { accounts, gardens, quotas, publisher }: ProgramDependencies,
): Room & ProgramsOffer => ({
  commandSchema,
  robotRequest,
  dueRuns: async (scope, from, to, maxCount) =>
    ((await occurrencesBetween(await readSchedule(scope), from, to, maxCount)) ?? []).map(({ runs, at }) => ({
      name: runs.sequence.name,
      at,
    })),
  routes: [
    showCorpus,
    ...sequenceRoutes(),
    ...programCheckRoutes(),
    ...publishingRoutes({ gardens, quotas }),
    featuredRoute(publisher),
    ...regimenRoutes,
    ...farmEventRoutes(queue),
    ...occurrenceRoutes,
    ...calendarFeedRoutes,
    calendarRoute(accounts),
  ],
  jobs: [farmEventPurge(queue)],
});
