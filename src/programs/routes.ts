import type { Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { showCorpus } from './corpus-routes.ts';
import { farmEventRoutes } from './farm-event-routes.ts';
import { programCheckRoutes } from './program-check-routes.ts';
import type { AuthorDirectory } from './publishing.ts';
import { featuredRoute, publishingRoutes } from './publishing-routes.ts';
import { regimenRoutes } from './regimen-routes.ts';
import { sequenceRoutes } from './sequence-routes.ts';

export interface ProgramOptions {
  readonly authors: AuthorDirectory;
  /** The e-mail address of the account whose sequences are featured; null for none. */
  readonly publisher: string | null;
  readonly queue: JobQueue;
}

/** The routes of the command language, sequences, regimens and farm events. */
export const programRoutes = ({ authors, publisher, queue }: ProgramOptions): Route[] => [
  showCorpus,
  ...sequenceRoutes(),
  ...programCheckRoutes(),
  ...publishingRoutes(authors),
  featuredRoute(publisher),
  ...regimenRoutes,
  ...farmEventRoutes(queue),
];
