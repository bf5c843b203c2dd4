import type { FieldFailures } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { bigint, integer, oneOf } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';

/** Pins that the Raspberry Pi or its board uses. [rule G16] */
const forbiddenPins = new Set([2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 21, 23, 24, 25, 27]);

const exactlyOne: FieldFailures = { sequence_id: say.oneAction };

/** [rule G17] */
export const pinBindings = resource('pin_bindings', {
  tag: 'Tools and pins',
  max: 1000,
  example: { pin_num: 101, special_action: 'sync' },
  shownExample: { binding_type: 'special' },
  description: 'A button of the robot, which runs a sequence or a special action.',
  changeLogName: 'PinBinding',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  showsDevice: true,
  sync: 'listed',
  fields: {
    // The sequence remains stored next to a special action, and is shown again when `binding_type` becomes `standard`.
    sequence_id: bigint()
      .nullByDefault()
      .references('sequences', 'no action', { key: 'sequence_id' })
      .shownAs('case when pin_bindings.special_action is null then pin_bindings.sequence_id end')
      .describe('A new binding has either this or `special_action`.')
      .label('Program', 'Programme')
      .hint('Choose a program or an action.', 'Choisissez un programme ou une action.'),
    special_action: oneOf(
      'emergency_lock',
      'emergency_unlock',
      'power_off',
      'read_status',
      'reboot',
      'sync',
      'take_photo',
    )
      .nullByDefault()
      .describe('A new binding has either this or `sequence_id`.')
      .label('Action', 'Action'),
    pin_num: integer()
      .required()
      .unique()
      .check((pin, name) => (forbiddenPins.has(pin) ? fieldProblem(name, say.reservedPin) : null), {
        not: { enum: [...forbiddenPins] },
      })
      .describe(`Not one of ${[...forbiddenPins].join(', ')}.`)
      .label(labels.pin)
      .hint('Not one of those that the robot uses itself.', 'Pas une de celles que le robot utilise lui-même.'),
    binding_type: oneOf('standard', 'special')
      .onUpdateOnly()
      .describe('In an update, `standard` clears the special action and `special` the sequence.')
      .label('What it does', 'Ce qu’il fait')
      .derived("case when pin_bindings.special_action is null then 'standard' else 'special' end"),
  },
  hooks: {
    prepare(_scope, input, before, body) {
      const chosen = [input.sequence_id, input.special_action].filter((choice) => choice != null).length;
      if (chosen === 2 || (!before && chosen === 0)) return exactlyOne;
      if (before && body.binding_type === 'standard') input.special_action = null;
      if (before && body.binding_type === 'special') input.sequence_id = null;
      return {};
    },
  },
});
