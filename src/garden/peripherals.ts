import { integer, oneOf, text } from '../engine/fields.ts';
import { make, readCreate, show } from '../engine/records.ts';
import { resource } from '../engine/resource.ts';
import { bodyOf } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonText } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { notUsedBySequences } from './sequence-use.ts';

/** [Spec peripherals] */
export const peripherals = resource('peripherals', {
  about: 'A pin that the robot can switch.',
  announced: 'Peripheral',
  routes: 'list show update destroy',
  paginated: true,
  destroyed: 'object',
  sync: 'listed',
  fields: {
    pin: integer().required().range(0, 1000, 'model').unique(),
    label: text().required().max(280),
    mode: oneOf(0, 1).default(0).describe('0 digital, 1 analog.'),
  },
  hooks: { beforeDestroy: notUsedBySequences('peripheral', 'peripheral') },
});

/** Finds the peripheral with this pin and label, or makes it: seeding and robots post the same one again. [decision 47] */
export const createPeripheral: DeviceRoute = {
  access: 'token',
  tag: peripherals.name,
  method: 'POST',
  path: '/api/peripherals',
  summary: 'Create a peripheral, or find the one with this pin and label',
  body: { rule: 'object', schema: bodySchema(peripherals, 'create') },
  replies: { 200: recordSchema(peripherals) },
  async handle(scope, call) {
    const values = await readCreate(scope, peripherals, bodyOf(call));
    const same = await scope.first(peripherals, { where: { pin: values.pin, label: values.label } });
    const { id } = same ?? (await make(scope, peripherals, values));
    return jsonText(await show(scope, peripherals, id));
  },
};
