import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { bigint, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { sequences } from '../programs/sequences.ts';
import { say } from './messages.ts';

/** [rule G11] */
export const folders = resource('folders', {
  tag: 'Programs',
  max: 1000,
  example: { name: 'Watering', color: 'blue' },
  description: 'A folder of sequences and of other folders.',
  changeLogName: 'Folder',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  destroyReply: 'empty',
  fields: {
    // Clients send 0 for no folder. [decision 29]
    parent_id: bigint()
      .nullable()
      .emptyAsNull()
      .references('folders', 'no action', 'null')
      .label('In the folder', 'Dans le dossier'),
    color: text().required().max(20).label(labels.color),
    name: text().required().max(40).label(labels.name),
  },
  hooks: {
    async beforeDestroy(scope, { id }) {
      const inside = await scope.count(sequences, { where: { folder_id: id } });
      if (inside > 0) throw invalid({ in_use: say.holdsSequences(inside) });
      // A folder can be its own parent, and must still be deletable.
      const below = await scope.count(folders, { where: { parent_id: id, id: { not: id } } });
      if (below > 0) throw invalid({ in_use: say.holdsFolders(below) });
    },
  },
});
