import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { knownToolFields, toolTypes } from '../core/known-equipment.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { boolean, float, integer, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';
import { points } from './points.ts';
import { assertNotUsedBySequences } from './sequence-use.ts';

const effectorOffset = (axis: string) =>
  float()
    .default(0)
    .label(`Tip ${axis}`, `Pointe ${axis}`)
    .describe(
      'From the head of the robot to the part of the tool that works; less than 0 in z is below.',
      'De la tête du robot à la partie de l’outil qui travaille ; moins de 0 en z est au-dessous.',
    )
    .unit('mm')
    .addition();

/**
 * Whether an update changes the length of a seeder by the older of its two fields alone, whose value the newer one has, too. Web apps from
 * before autumn 2026 know no other, and send the newer one as it was. [rule G37]
 */
function isLengthOfSeeder(
  before: { readonly type: string; readonly seeder_tip_z_offset: number; readonly effector_offset_z: number },
  input: { readonly seeder_tip_z_offset?: number; readonly effector_offset_z?: number },
): boolean {
  const { type, seeder_tip_z_offset: tip, effector_offset_z: z } = before;
  const isChanged = (input.seeder_tip_z_offset ?? tip) !== tip;
  return type === 'seeder' && isChanged && z === 0 - tip && (input.effector_offset_z ?? z) === z;
}

const unusedBySequences = assertNotUsedBySequences('tool', 'tool', 'mounted_tool');

export const tools = resource('tools', {
  tag: 'Tools and pins',
  max: 1000,
  example: { name: 'Watering nozzle' },
  shownExample: { status: 'inactive' },
  description: 'A tool that the robot can mount.',
  changeLogName: 'Tool',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'object',
  sync: 'listed',
  shows: ['points'],
  earlierValues: knownToolFields,
  fields: {
    name: text().required().max(280).unique().label(labels.name),
    // [rule G36]
    type: oneOf(...toolTypes)
      .default('none')
      .label(labels.kind)
      .addition(),
    status: oneOf('active', 'inactive')
      .describe('Whether the tool is in a slot, not whether it is mounted.')
      .label('State', 'État')
      .derived(
        `case when exists (select 1 from points p where p.tool_id = tools.id and p.pointer_type = 'ToolSlot'
          and p.discarded_at is null) then 'active' else 'inactive' end`,
      ),
    flow_rate_ml_per_s: integer().default(0).label('Flow rate', 'Débit').unit('ml/s'),
    seeder_tip_z_offset: float()
      .default(80)
      .label('Seeder tip offset in z', 'Décalage z de la pointe du semoir')
      .unit('mm')
      .addition(),
    // [rule G37]
    utm_mountable: boolean()
      .default(true)
      .label('The robot can mount it', 'Le robot peut le monter')
      .describe('Whether it fits the universal tool mount, unlike containers of seeds.')
      .addition(),
    effector_offset_x: effectorOffset('x'),
    effector_offset_y: effectorOffset('y'),
    effector_offset_z: effectorOffset('z'),
  },
  hooks: {
    prepare(_scope, input, before) {
      if (before && isLengthOfSeeder(before, input)) input.effector_offset_z = 0 - Number(input.seeder_tip_z_offset);
      return undefined;
    },
    async beforeDestroy(scope, tool) {
      const slot = { tool_id: tool.id, pointer_type: 'ToolSlot', discarded_at: null } as const;
      if ((await scope.count(points, { where: slot })) > 0) throw invalid({ tool: say.toolInSlot });
      await unusedBySequences(scope, tool);
      // A mounted tool may be deleted; the device is updated first. [rule G32]
      const device = await ownDevice(scope);
      if (device.mounted_tool_id === tool.id) await changeDevice(scope, device, { mounted_tool_id: null });
    },
  },
});
