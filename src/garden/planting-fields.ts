import { bigint, integer, time } from '../engine/fields.ts';

const curve = (key: string) => bigint().nullable().references('curves', 'set null', { key });

/** How and when a plant was planted: fields of plants and of the templates in saved gardens. */
export const plantingFields = {
  planted_at: time().nullable().label('Planted on', 'Planté le'),
  depth: integer().default(0).label('Depth of planting', 'Profondeur de plantation').unit('mm'),
  water_curve_id: curve('water_curve_id').label('Water curve', 'Courbe d’arrosage'),
  spread_curve_id: curve('spread_curve_id').label('Spread curve', 'Courbe d’étalement'),
  height_curve_id: curve('height_curve_id').label('Height curve', 'Courbe de hauteur'),
};
