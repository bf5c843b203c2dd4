import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds the date and depth of planting and the curves of plant templates. */
export const plantingsOfTemplates: Migration = {
  number: 20261128174034,
  name: 'plantings of templates',
  expand(schema) {
    schema.addColumn('plant_templates', 'planted_at', column.time().nullable());
    schema.addColumn('plant_templates', 'depth', column.integer().default(0));
    schema.addColumn('plant_templates', 'water_curve_id', column.bigint().nullable().references('curves', 'set null'));
    schema.addColumn('plant_templates', 'spread_curve_id', column.bigint().nullable().references('curves', 'set null'));
    schema.addColumn('plant_templates', 'height_curve_id', column.bigint().nullable().references('curves', 'set null'));
    schema.createIndex('plant_templates', ['water_curve_id']);
    schema.createIndex('plant_templates', ['spread_curve_id']);
    schema.createIndex('plant_templates', ['height_curve_id']);
  },
};
