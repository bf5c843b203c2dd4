import { labels } from '../core/field-labels.ts';
import { knownSensorType, sensorTypes } from '../core/known-equipment.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { custom, integer, oneOf, text } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { choiceKind, integerKind } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';
import { assertNotUsedBySequences } from './sequence-use.ts';

/** Parsed as an integer; the hook checks that it is 0 or 1, after the fields. [rule G31] */
const modeKind: Kind<number> = { ...choiceKind([0, 1]), parse: integerKind.parse };

/** A reading with which an analog sensor is calibrated. [ADR 130] */
const reading = (where: string, fr: string, percent: number) =>
  integer()
    .nullable()
    .range(0, 1023)
    .label(`Reading ${where} (${percent} %)`, `Mesure ${fr} (${percent} %)`)
    .describe(
      `With both, people see readings in percent; the API has them as they were read. This one is ${percent} %.`,
      `Avec les deux, les mesures sont montrées en pour cent. Celle-ci est ${percent} %.`,
    )
    .addition();

export const sensors = resource('sensors', {
  tag: 'Tools and pins',
  max: 1000,
  example: { label: 'Soil moisture', pin: 59, mode: 1 },
  description: 'A pin that the robot can read.',
  changeLogName: 'Sensor',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'object',
  sync: 'listed',
  earlierValues: ({ pin }) => ({ type: knownSensorType(pin) }),
  fields: {
    pin: integer().required().range(0, 69, 'model').unique().label(labels.pin),
    label: text().required().label(labels.name),
    mode: custom<number>(modeKind).required().describe('0 digital, 1 analog.').label(labels.mode),
    // [rule G36]
    type: oneOf(...sensorTypes)
      .default('none')
      .label(labels.kind)
      .addition(),
    dry_reading: reading('in dry soil', 'en sol sec', 0),
    wet_reading: reading('in wet soil', 'en sol mouillé', 100),
  },
  hooks: {
    prepare(_scope, input, before) {
      const { mode, dry_reading: dry, wet_reading: wet } = { ...before, ...input };
      return {
        ...(mode === 0 || mode === 1 || mode === undefined
          ? {}
          : { mode: sayOfField.oneOf(labelOf('mode', labels.mode), '0, 1') }),
        ...(typeof dry === 'number' && dry === wet ? { wet_reading: say.sameReading } : {}),
      };
    },
    beforeDestroy: assertNotUsedBySequences('sensor', 'sensor'),
  },
});
