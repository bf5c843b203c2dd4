import { labels } from '../core/field-labels.ts';
import type { NamedFields } from '../engine/fields.ts';
import { bigint, boolean, float, integer, oneOf, text, time } from '../engine/fields.ts';
import { modelProblem } from '../engine/kinds.ts';
import { say } from './messages.ts';
import { isTimeZone } from './time-zones.ts';

/** Computers of robots; a number is converted to text. */
const computers = ['3', '4', '01', '02'] as const;

/** Fields in the order of the JSON. [rule D1] */
export const deviceFields = {
  fb_order_number: text()
    .nullable()
    .max(280)
    .describe(
      'The number of the order in the vendor’s shop.',
      'Le numéro de la commande dans la boutique du fabricant.',
    )
    .label('Order number', 'Numéro de commande'),
  fbos_version: text().nullByDefault().readOnly().label(labels.software),
  indoor: boolean()
    .default(false)
    .describe('Whether the garden is indoors.', 'Si le jardin est à l’intérieur.')
    .label('Indoors', 'À l’intérieur'),
  last_saw_api: time().nullByDefault().readOnly().label('Last contact', 'Dernier contact'),
  lat: float()
    .nullable()
    .documented({ minimum: -90, maximum: 90 })
    .describe('Where the garden is: the latitude, in degrees.', 'Où se trouve le jardin : la latitude, en degrés.')
    .label('Latitude', 'Latitude'),
  lng: float()
    .nullable()
    .documented({ minimum: -180, maximum: 180 })
    .describe('Where the garden is: the longitude, in degrees.', 'Où se trouve le jardin : la longitude, en degrés.')
    .label('Longitude', 'Longitude'),
  mounted_tool_id: bigint()
    .nullable()
    .documented({ minimum: 0 })
    .describe('The tool in the universal tool mount. 0 and negative numbers are stored as null.')
    .label('Mounted tool', 'Outil monté')
    .hint('The tool that is mounted on the robot now.', 'L’outil qui est monté sur le porte-outil.'),
  name: text()
    .default('FarmBot')
    .describe('The name of the garden.', 'Le nom du jardin.')
    .label('Name of the garden', 'Nom du jardin'),
  ota_hour_utc: integer()
    .nullByDefault()
    .readOnly()
    .describe('Derived from `ota_hour` and the time zone.')
    .label('Hour of updates (UTC)', 'Heure des mises à jour (UTC)'),
  ota_hour: integer()
    .nullable()
    .documented({ minimum: 0, maximum: 23 })
    .describe('The hour in the time zone of the garden at which the robot updates itself. Null without a time zone.')
    .label('Hour of updates', 'Heure des mises à jour')
    .hint(
      'The hour of the garden at which the robot updates itself.',
      'L’heure du jardin à laquelle le robot se met à jour.',
    ),
  rpi: oneOf(...computers)
    .nullByDefault()
    .describe('The model of the robot’s Raspberry Pi: 3, 4, 01 (Zero W) or 02 (Zero 2 W).')
    .label('Computer (Raspberry Pi)', 'Ordinateur (Raspberry Pi)')
    .hint('The model of the robot’s Raspberry Pi.', 'Le modèle du Raspberry Pi : 3, 4, 01 (Zero W) ou 02 (Zero 2 W).'),
  serial_number: text().nullByDefault().readOnly().label('Serial number', 'Numéro de série'),
  setup_completed_at: time().nullable().label('Ready since', 'Prêt depuis'),
  /** Read and written by the web app's setup. */
  account_seeded_at: time().nullable().addition().label('Set up on', 'Préparé le'),
  throttled_at: time().nullByDefault().readOnly().label('Throttled at', 'Freiné depuis'),
  throttled_until: time().nullByDefault().readOnly().label('Held back until', 'Freiné jusqu’à'),
  timezone: text()
    .nullByDefault()
    .check((name) => (isTimeZone(name) ? null : modelProblem('timezone', say.timeZone)))
    .describe('A name in the tz database. Null does not change it.')
    .hint('The region whose time is the garden’s.', 'La région dont l’heure est celle du jardin.')
    .label('Time zone', 'Fuseau horaire'),
  max_log_age_in_days: integer()
    .default(0)
    .readOnly()
    .label('Max log age in days', 'Âge maximal des journaux en jours'),
  max_sequence_count: integer().default(0).readOnly().label('Max sequence count', 'Nombre maximal de programmes'),
  max_sequence_length: integer().default(0).readOnly().label('Max sequence length', 'Longueur maximale des programmes'),
} satisfies NamedFields;
