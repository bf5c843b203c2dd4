import { labels } from '../core/field-labels.ts';
import { knownPeripheralType, peripheralTypes } from '../core/known-equipment.ts';
import { integer, oneOf, text } from '../engine/fields.ts';
import { insertRecord, parseCreate, show } from '../engine/records.ts';
import { resource } from '../engine/resource.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { assertNotUsedBySequences } from './sequence-use.ts';

/** [rule G15] */
export const peripherals = resource('peripherals', {
  tag: 'Tools and pins',
  max: 1000,
  example: { label: 'Vacuum pump', pin: 10, mode: 0 },
  description: 'A pin that the robot can switch.',
  changeLogName: 'Peripheral',
  routes: ['list', 'show', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'object',
  sync: 'listed',
  earlierValues: ({ pin }, firmwareHardware) => ({ type: knownPeripheralType(pin, firmwareHardware) }),
  fields: {
    pin: integer().required().range(0, 1000, 'model').unique().label(labels.pin),
    label: text().required().max(280).label(labels.name),
    mode: oneOf(0, 1).default(0).describe('0 digital, 1 analog.').label(labels.mode),
    // [rule G36]
    type: oneOf(...peripheralTypes)
      .default('none')
      .label(labels.kind)
      .addition(),
  },
  hooks: { beforeDestroy: assertNotUsedBySequences('peripheral', 'peripheral') },
});

/** Returns the peripheral with this pin and label, or creates it: robots and seeding send the same one repeatedly. [decision 47] */
export const createPeripheralRoute: DeviceRoute = {
  access: 'token',
  batch: true,
  tag: peripherals.options.tag,
  method: 'POST',
  path: '/api/peripherals',
  summary: 'Create a peripheral, or return the one with this pin and label',
  description:
    'Stores a pin that the robot can switch. If there is one with the same pin and label, that one is returned.',
  body: { rule: 'object', schema: bodySchema(peripherals, 'create') },
  replies: { 200: recordSchema(peripherals) },
  async handle(scope, call) {
    const values = await parseCreate(scope, peripherals, objectBody(call));
    const same = await scope.first(peripherals, { where: { pin: values.pin, label: values.label } });
    const { id } = same ?? (await insertRecord(scope, peripherals, values));
    return jsonReply(await show(scope, peripherals, id));
  },
};
