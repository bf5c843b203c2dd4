import type { Foundation, Room } from '../foundation.ts';
import type { IsMember } from './calendar-routes.ts';
import { calendarFeedRoutes, calendarRoute } from './calendar-routes.ts';
import { showCorpus } from './corpus-routes.ts';
import { farmEventPurge } from './farm-event-purge.ts';
import { farmEventRoutes } from './farm-event-routes.ts';
import { occurrencesRoute } from './occurrence-routes.ts';
import { programCheckRoutes } from './program-check-routes.ts';
import type { PublishingServices } from './publishing.ts';
import { featuredRoute, publishingRoutes } from './publishing-routes.ts';
import { regimenRoutes } from './regimen-routes.ts';
import { sequenceRoutes } from './sequence-routes.ts';

/** What programs need from settings and other rooms. */
export interface ProgramDependencies {
  readonly publishing: PublishingServices;
  /** The e-mail address of the account whose sequences are featured; null: none are. */
  readonly publisher: string | null;
  readonly isMember: IsMember;
}

/** Opens the programs: the command language, and sequences, regimens and farm events, which are written in it. */
export const openPrograms = (
  { queue }: Foundation,
  { publishing, publisher, isMember }: ProgramDependencies,
): Room => ({
  routes: [
    showCorpus,
    ...sequenceRoutes(),
    ...programCheckRoutes(),
    ...publishingRoutes(publishing),
    featuredRoute(publisher),
    ...regimenRoutes,
    ...farmEventRoutes(queue),
    occurrencesRoute,
    ...calendarFeedRoutes,
    calendarRoute(isMember),
  ],
  jobs: [farmEventPurge(queue)],
});
