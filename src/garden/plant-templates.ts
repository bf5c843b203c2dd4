import { labels } from '../core/field-labels.ts';
import { bigint, float, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { plantingFields } from './planting-fields.ts';

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
    saved_garden_id: bigint()
      .required()
      .references('saved_gardens', 'cascade', 'not found')
      .label('Saved garden', 'Jardin enregistré'),
    name: text().default('untitled').label(labels.name),
    openfarm_slug: text().max(280).default('null').describe('The kind of plant.').label(labels.crop),
    x: float().required().label(labels.x).unit('mm'),
    y: float().required().label(labels.y).unit('mm'),
    z: float().default(0).label(labels.z).unit('mm'),
    radius: float().default(25).label(labels.radius).unit('mm'),
    // [rule G19]
    planted_at: plantingFields.planted_at.addition(),
    depth: plantingFields.depth.addition(),
    water_curve_id: plantingFields.water_curve_id.addition(),
    spread_curve_id: plantingFields.spread_curve_id.addition(),
    height_curve_id: plantingFields.height_curve_id.addition(),
  },
  indexes: [['device_id'], ['saved_garden_id'], ['water_curve_id'], ['spread_curve_id'], ['height_curve_id']],
});
