import { labels } from '../core/field-labels.ts';
import { knownSensorType, sensorTypes } from '../core/known-equipment.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { custom, integer, oneOf, text } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { choiceKind, integerKind } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { assertNotUsedBySequences } from './sequence-use.ts';

/** Parsed as an integer; the hook checks that it is 0 or 1, after the fields. [rule G31] */
const modeKind: Kind<number> = { ...choiceKind([0, 1]), parse: integerKind.parse };

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
  },
  hooks: {
    prepare(_scope, { mode }) {
      return mode === undefined || mode === 0 || mode === 1
        ? {}
        : { mode: sayOfField.oneOf(labelOf('mode', labels.mode), '0, 1') };
    },
    beforeDestroy: assertNotUsedBySequences('sensor', 'sensor'),
  },
});
