import { currentTimestamp } from '../core/clock.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { float, integer, oneOf, time } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { addReadings, removeReadings } from '../series/series-store.ts';

/** [rule G30] */
export const sensorReadings = resource('sensor_readings', {
  tag: 'Tools and pins',
  example: { pin: 59, value: 500, x: 100, y: 200, z: -30, mode: 1, read_at: '2026-04-01T08:00:00.000Z' },
  description: 'A value that the robot read from a pin, and its position.',
  changeLogName: 'SensorReading',
  isHistory: false,
  routes: ['list', 'show', 'create', 'destroy'],
  paginated: true,
  filters: ['pin'],
  destroyReply: 'empty',
  newestFirst: true,
  max: { kept: 2500 },
  sync: 'empty',
  indexes: [['device_id', 'created_at']],
  fields: {
    mode: oneOf(0, 1).default(0).describe('0 digital, 1 analog.').label(labels.mode),
    pin: integer().required().range(0, 69).label(labels.pin),
    value: integer().required().range(0, 1023).label(labels.value),
    x: float().nullable().required().label(labels.x).unit('mm'),
    y: float().nullable().required().label(labels.y).unit('mm'),
    z: float().nullable().required().label(labels.z).unit('mm'),
    read_at: time().describe('The current time by default.').label('Measured on', 'Mesuré le'),
  },
  hooks: {
    prepare(scope, input) {
      input.read_at ??= currentTimestamp(scope.clock);
    },
    afterCreate: addReadings,
    afterDestroy: removeReadings,
  },
});

/** The last stored reading of an analog pin. */
export interface LastReading {
  readonly pin: number;
  readonly value: number;
  /** In ms since the epoch. */
  readonly at: number;
}

/** A reading is not newer than its receipt: clocks of robots may be ahead. */
const lastOfPin: Selection<LastReading> = {
  key: 'last reading',
  expressions: {
    // The other columns are those of the row with the maximum.
    sqlite: ['pin', 'max(min(read_at, created_at))', 'value'],
    postgres: [
      'pin',
      'max(least(read_at, created_at))',
      '(array_agg(value order by least(read_at, created_at) desc, id desc))[1]',
    ],
  },
  groupBy: '1',
  read: ([pin, at, value]) => ({ pin: Number(pin), at: Date.parse(String(at)), value: Number(value) }),
};

/** Returns the last stored reading of each analog pin that has one. */
export const lastAnalogReadings = (scope: DeviceScope): Promise<LastReading[]> =>
  scope.select(sensorReadings, lastOfPin, { where: { mode: 1 } });
