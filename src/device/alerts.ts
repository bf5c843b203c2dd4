import { integer, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';

/** Subjects of alerts. [rule D14] */
const problemTags = [
  'api.seed_data.missing',
  'api.documentation.unread',
  'api.tour.not_taken',
  'api.user.not_welcomed',
  'api.bulletin.unread',
  'api.demo_account.in_use',
] as const;

/** Created by the server only. */
export const alerts = resource('alerts', {
  tag: 'Device',
  max: 1000,
  shownExample: {
    priority: 400,
    problem_tag: 'api.documentation.unread',
    slug: '8d0f9c8e-2f0b-4b7a-9a44-0d0b0a6e4f10',
  },
  description: 'A message for the owner, until deleted.',
  changeLogName: 'Alert',
  exported: false,
  routes: ['list', 'show', 'destroy'],
  paginated: true,
  destroyReply: 'object',
  createdAt: 'seconds',
  fields: {
    priority: integer().readOnly().label('Priority', 'Priorité'),
    problem_tag: oneOf(...problemTags)
      .readOnly()
      .label('Subject', 'Sujet'),
    slug: text()
      .readOnly()
      .describe('A UUID, or the slug of the bulletin for `api.bulletin.unread`.')
      .label('Name of the notice', 'Nom de l’avis'),
  },
});
