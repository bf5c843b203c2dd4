import { bigint, integer, of, oneOf, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { storedJson } from './stored-json.ts';

/** A date on which a sequence or regimen runs. Its routes come with the command language. */
export const farmEvents = resource('farm_events', {
  about: 'A sequence or regimen on the calendar.',
  announced: 'FarmEvent',
  sync: 'listed',
  announcesEveryUpdate: true,
  fields: {
    start_time: time().unset(),
    end_time: time().unset(),
    repeat: integer().range(1, 2_147_483_647).required(),
    time_unit: oneOf('never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly').required(),
    executable_type: oneOf('Sequence', 'Regimen').default('Sequence'),
    executable_id: bigint().required(),
    body: of<object[]>(storedJson(true)).default([]),
  },
});
