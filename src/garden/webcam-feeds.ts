import { text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { resourceRoutes } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';

/** [Spec webcam_feeds] */
export const webcamFeeds = resource('webcam_feeds', {
  description: 'The address of a camera that looks at the garden.',
  announced: 'WebcamFeed',
  routes: 'list show create update destroy',
  paginated: true,
  destroyReply: 'empty',
  fields: {
    url: text().required().describe('Any text: clients show what they can.'),
    name: text().required().max(80),
  },
});

/** All routes; clients also change a feed under the singular path. [reference: webcam feeds] */
export const webcamFeedRoutes: DeviceRoute[] = resourceRoutes(webcamFeeds).flatMap((route) =>
  route.method === 'PATCH' ? [route, { ...route, path: '/api/webcam_feed/:id' }] : [route],
);
