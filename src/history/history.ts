import type { Route } from '../engine/route.ts';
import type { Foundation, Room } from '../foundation.ts';
import { resources } from '../resources.ts';
import { historyRoutes } from './history-routes.ts';
import { recordKinds } from './record-kinds.ts';
import { Reverter } from './reverter.ts';

/** What the history needs from other rooms. */
export interface HistoryDependencies {
  /** The routes of all resources and other rooms. */
  readonly routes: readonly Route[];
}

/** Opens the history: what was changed by whom, and how to undo it. */
export function openHistory({ resourceRights: rights }: Foundation, { routes }: HistoryDependencies): Room {
  const kinds = recordKinds(resources, routes);
  return { routes: historyRoutes({ rights, kinds, reverter: new Reverter(kinds, rights) }), jobs: [] };
}
