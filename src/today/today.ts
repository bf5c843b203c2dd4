import type { Foundation, Room } from '../foundation.ts';
import type { TodayServices } from './today-route.ts';
import { todayRoute } from './today-route.ts';

export type TodayDependencies = Omit<TodayServices, 'rights'>;

/** Opens the sentences of today: what the robot did and failed to do, what is next, and what the plants need. */
export const openToday = ({ resourceRights: rights }: Foundation, dependencies: TodayDependencies): Room => ({
  routes: [todayRoute({ rights, ...dependencies })],
  jobs: [],
});
