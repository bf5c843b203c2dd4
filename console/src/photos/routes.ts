import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search } from '../data/search.ts';

export const photosRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'photos',
  /** `photo`: the photo that is shown full screen; `select`: several are being chosen. */
  validateSearch: (search: Search) =>
    present({ photo: integerOf(search.photo), select: search.select === true ? (true as const) : undefined }),
  component: lazyRouteComponent(() => import('./photos-page.tsx'), 'PhotosPage'),
});
