import { bigint, custom, integer, oneOf, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { nodesKind } from './program-kinds.ts';

/** A sequence or regimen on the calendar. [rule P40] */
export const farmEvents = resource('farm_events', {
  description: 'A sequence or regimen on the calendar.',
  announced: 'FarmEvent',
  routes: ['show'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  announcesEveryUpdate: true,
  fields: {
    start_time: time().nullByDefault().describe('Defaults to now. At most 20 years ago.'),
    // [decision 56]
    end_time: time()
      .nullByDefault()
      .describe(
        'Required for a repeating event; otherwise it is set to a minute after the start. At most 20 years ahead.',
      ),
    repeat: integer().range(1, 2_147_483_647).required().describe('The interval, in units of `time_unit`.'),
    time_unit: oneOf('never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly').required(),
    executable_type: oneOf('Sequence', 'Regimen').default('Sequence'),
    // Not required here: a missing id is reported like an unknown one, under `farm_event`.
    executable_id: bigint().describe('The id of a sequence or regimen. Required on create.'),
    body: custom<object[]>(nodesKind).default([]).describe('Values for the variables of the sequence or regimen.'),
  },
});
