import type { Route } from '../engine/route.ts';
import type { Foundation, Room } from '../foundation.ts';
import { resources } from '../resources.ts';
import { historyRoutes } from './history-routes.ts';
import { recordKinds } from './record-kinds.ts';
import { Reverter } from './reverter.ts';

/** The rooms that the history depends on. */
export interface HistoryDependencies {
  /** The routes of all resources and other rooms. */
  readonly routes: readonly Route[];
}

/** Opens the history: changes, their authors, and the way to undo them. */
export function openHistory({ resourceRights: rights }: Foundation, { routes }: HistoryDependencies): Room {
  const kinds = recordKinds(resources, routes);
  return { routes: historyRoutes({ rights, kinds, reverter: new Reverter(kinds, rights) }), jobs: [] };
}
