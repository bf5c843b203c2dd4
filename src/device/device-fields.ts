import { bigint, boolean, float, integer, oneOf, text, time } from '../engine/fields.ts';
import { modelProblem } from '../engine/kinds.ts';
import { isTimeZone } from './time-zones.ts';

/** Computers of robots; a number is converted to text. */
const computers = ['3', '4', '01', '02'] as const;

/** Fields in the order of the JSON. [rule D1] */
export const deviceFields = {
  fb_order_number: text().nullable().max(280).describe('The number of the order in the vendor’s shop.'),
  fbos_version: text().nullByDefault().readOnly(),
  indoor: boolean().default(false).describe('Whether the garden is indoors.'),
  last_saw_api: time().nullByDefault().readOnly(),
  lat: float().nullable().describe('Where the garden is: the latitude, in degrees.'),
  lng: float().nullable().describe('Where the garden is: the longitude, in degrees.'),
  mounted_tool_id: bigint()
    .nullable()
    .documented({ minimum: 0 })
    .describe('The tool in the universal tool mount. 0 and negative numbers are stored as null.'),
  name: text().default('FarmBot').describe('The name of the garden.'),
  ota_hour_utc: integer().nullByDefault().readOnly().describe('Derived from `ota_hour` and the time zone.'),
  ota_hour: integer()
    .nullable()
    .documented({ minimum: 0, maximum: 23 })
    .describe('The hour in the time zone of the garden at which the robot updates itself. Null without a time zone.'),
  rpi: oneOf(...computers)
    .nullByDefault()
    .describe('The model of the robot’s Raspberry Pi: 3, 4, 01 (Zero W) or 02 (Zero 2 W).'),
  serial_number: text().nullByDefault().readOnly(),
  setup_completed_at: time().nullable(),
  /** Read and written by the web app's setup. [decision 24] */
  account_seeded_at: time().nullable(),
  throttled_at: time().nullByDefault().readOnly(),
  throttled_until: time().nullByDefault().readOnly(),
  timezone: text()
    .nullByDefault()
    .check((name) => (isTimeZone(name) ? null : modelProblem('timezone', 'is not a name of the tz database')))
    .describe('A name in the tz database. Null does not change it.'),
  max_log_age_in_days: integer().default(0).readOnly(),
  max_sequence_count: integer().default(0).readOnly(),
  max_sequence_length: integer().default(0).readOnly(),
};
