import { labels } from '../core/field-labels.ts';
import { oneOf, text, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { notificationKinds } from './notification-words.ts';

/** Notifications of a garden that are kept. */
export const keptNotifications = 200;

/** What the robot says, and what became of it. Created by the server only. [ADR 126] */
export const notifications = resource('notifications', {
  tag: 'Logs',
  max: keptNotifications + 100,
  maxNote: `The newest ${keptNotifications} are kept.`,
  shownExample: { kind: 'error', message: 'The Y axis is stuck.', at: '2026-04-01T06:00:00.000Z' },
  description: 'Something of the robot that people of the garden are notified of.',
  changeLogName: 'Notification',
  isHistory: false,
  isPublished: false,
  exported: false,
  routes: ['list', 'show', 'destroy'],
  newestFirst: true,
  destroyReply: 'object',
  addition: true,
  fields: {
    kind: oneOf(...notificationKinds)
      .readOnly()
      .label(labels.kind),
    message: text()
      .readOnly()
      .emptyAllowed()
      .describe('The text of the log; the name of the sequence that was due; empty for `offline`.')
      .label('Message', 'Message'),
    at: time()
      .readOnly()
      .describe('When it happened: of `missed_run` when it was due, of `offline` since when.')
      .label('Time', 'Heure'),
  },
});
