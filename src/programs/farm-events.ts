import { bigint, custom, integer, oneOf, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { jsonKind } from './stored-json.ts';

/** A date on which a sequence or regimen runs. [Spec farm_events] */
export const farmEvents = resource('farm_events', {
  description: 'A sequence or regimen on the calendar.',
  announced: 'FarmEvent',
  routes: ['show'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  announcesEveryUpdate: true,
  fields: {
    start_time: time().nullByDefault().describe('Now, unless sent. Later than 20 years ago.'),
    end_time: time()
      .nullByDefault()
      .describe(
        'Needed unless the event takes place once: then it is a minute after the start. At most 20 years ahead.',
      ),
    repeat: integer().range(1, 2_147_483_647).required().describe('Every how many units.'),
    time_unit: oneOf('never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly').required(),
    executable_type: oneOf('Sequence', 'Regimen').default('Sequence'),
    // Whether it is there and one of your own is one question to clients.
    executable_id: bigint().describe('A sequence or regimen of your own: needed on create.'),
    body: custom<object[]>(jsonKind(true))
      .default([])
      .describe('What the sequence or regimen is given for its variables.'),
  },
});
