import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { float, integer, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';
import { points } from './points.ts';
import { assertNotUsedBySequences } from './sequence-use.ts';

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
  fields: {
    name: text().required().max(280).unique().label(labels.name),
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
  },
  hooks: {
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
