import { bigint, float, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';

export const plantTemplates = resource('plant_templates', {
  tag: 'Garden',
  max: 5000,
  example: { saved_garden_id: 1, name: 'Tomato', x: 500, y: 300, openfarm_slug: 'tomato' },
  description: 'A plant of a saved garden. Coordinates and lengths are in mm.',
  changeLogName: 'PlantTemplate',
  routes: ['list', 'create', 'update', 'destroy'],
  destroyReply: 'empty',
  paginated: true,
  showsDevice: true,
  fields: {
    // An unknown garden is reported like an unknown id in the path. [rule G18]
    saved_garden_id: bigint().required().references('saved_gardens', 'cascade', 'not found'),
    name: text().default('untitled'),
    openfarm_slug: text().max(280).default('null').describe('The kind of plant.'),
    x: float().required(),
    y: float().required(),
    z: float().default(0),
    radius: float().default(25),
  },
  indexes: [['device_id'], ['saved_garden_id']],
});
