import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listQuery } from '../data/collections.ts';
import { gardenRoute } from '../data/parent-routes.ts';
import { maxIdsLength } from '../data/point-ids.ts';
import { queryClient } from '../data/query-client.ts';
import { integerOf, momentOf, present, type Search, textOf, wordOf } from '../data/search.ts';
import { singleQueries } from '../data/singles.ts';

/** The content of the panel besides the selection. */
const panels = ['layers', 'plant', 'weed', 'point', 'slot', 'water', 'morning', 'group'] as const;

export const mapRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'map',
  staticData: { isFilling: true },
  /** `point`: the selected one. `points`: several, as in `3-7,12`. `place`: a selected place, as in `120,300`. `panel`: the open panel. `crop`: the slug of the crop to add. `at`: the shown time, or `now`, with the slider. */
  validateSearch: (search: Search) =>
    present({
      point: integerOf(search.point),
      points: textOf(search.points, maxIdsLength),
      place: textOf(search.place),
      panel: wordOf(search.panel, panels),
      crop: textOf(search.crop),
      at: search.at === 'now' ? 'now' : momentOf(search.at),
    }),
  /** The data of the first render are loaded along with the page's files. The page waits for them: React replaces a "Loading" only after a pause. */
  async loader() {
    await Promise.all([
      queryClient.prefetchQuery(listQuery('points')),
      queryClient.prefetchQuery(singleQueries.webAppConfig),
      queryClient.prefetchQuery(singleQueries.gardens),
    ]);
  },
  component: lazyRouteComponent(() => import('./map-page.tsx'), 'MapPage'),
});

/** The life of a plant or a weed. */
const lifeRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'plants/$id',
  component: lazyRouteComponent(() => import('./life-page.tsx'), 'LifePage'),
});

/** A group of points. */
const groupRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'groups/$id',
  component: lazyRouteComponent(() => import('./group-page.tsx'), 'GroupPage'),
});

export const mapRoutes = [mapRoute, lifeRoute, groupRoute] as const;
