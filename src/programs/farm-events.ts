import { labels } from '../core/field-labels.ts';
import { bigint, custom, integer, oneOf, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { nodesKind } from './program-kinds.ts';

/** A sequence or regimen on the calendar. [rule P40] */
export const farmEvents = resource('farm_events', {
  tag: 'Schedule',
  max: 5000,
  example: {
    executable_type: 'Sequence',
    executable_id: 1,
    start_time: '2040-04-01T06:00:00.000Z',
    end_time: '2040-10-01T06:00:00.000Z',
    repeat: 1,
    time_unit: 'daily',
  },
  description: 'A sequence or regimen on the calendar.',
  changeLogName: 'FarmEvent',
  routes: ['show'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  announcesEveryUpdate: true,
  fields: {
    start_time: time().nullByDefault().describe('Defaults to now. At most 20 years ago.').label('Start', 'Début'),
    // [decision 56]
    end_time: time()
      .nullByDefault()
      .describe(
        'Required for a repeating event; otherwise it is set to a minute after the start. At most 20 years ahead.',
      )
      .label('End', 'Fin'),
    repeat: integer()
      .range(1, 2_147_483_647)
      .required()
      .describe('The interval, in units of `time_unit`.')
      .label('Every', 'Tous les'),
    time_unit: oneOf('never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly')
      .required()
      .label('Unit', 'Unité'),
    executable_type: oneOf('Sequence', 'Regimen').default('Sequence').label('Runs a', 'Exécute un'),
    // A missing id is reported like an unknown one, under `farm_event`.
    executable_id: bigint()
      .requiredByRule()
      .documented({ minimum: 1 })
      .describe('The id of a sequence or regimen.')
      .label('What runs', 'Ce qui s’exécute'),
    body: custom<object[]>(nodesKind('internal_farm_event'))
      .default([])
      .describe('Values for the variables of the sequence or regimen.')
      .label(labels.body),
  },
});
