import { labels } from '../core/field-labels.ts';
import { text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { resourceRoutes } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';

export const webcamFeeds = resource('webcam_feeds', {
  tag: 'Tools and pins',
  max: 1000,
  example: { name: 'Greenhouse', url: 'http://webcam.example/1' },
  description: 'The URL of a camera.',
  changeLogName: 'WebcamFeed',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  fields: {
    url: text().required().describe('Any text.').label(labels.address),
    name: text().required().max(80).label(labels.name),
  },
});

/** Clients update a feed under the singular path, too. [rule G33] */
export const updateWebcamFeedRoutes: DeviceRoute[] = resourceRoutes(webcamFeeds)
  .filter(({ method }) => method === 'PATCH')
  .map((route) => ({ ...route, path: '/api/webcam_feed/:id', aliasOf: route.path }));
