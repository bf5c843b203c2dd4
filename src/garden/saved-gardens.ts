import { labels } from '../core/field-labels.ts';
import { text } from '../engine/fields.ts';
import { announceDeleted } from '../engine/records.ts';
import { resource } from '../engine/resource.ts';
import { plantTemplates } from './plant-templates.ts';

export const savedGardens = resource('saved_gardens', {
  tag: 'Garden',
  max: 1000,
  example: { name: 'Spring' },
  description: 'A saved layout of plants.',
  changeLogName: 'SavedGarden',
  routes: ['list', 'create', 'update', 'destroy'],
  destroyReply: 'empty',
  paginated: true,
  showsDevice: true,
  fields: {
    name: text().required().label(labels.name),
    notes: text().max(1500).emptyAllowed().nullByDefault().label(labels.notes),
  },
  hooks: {
    async beforeDestroy(scope, { id }) {
      const templates = await scope.delete(plantTemplates, { where: { saved_garden_id: id } });
      for (const template of templates) announceDeleted(scope, plantTemplates, template.id);
    },
  },
});
