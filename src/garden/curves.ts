import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { custom, text } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { choiceKind, textKind } from '../engine/kinds.ts';
import { announceChanged } from '../engine/records.ts';
import { resource } from '../engine/resource.ts';
import type { CurveData } from './curve-data.ts';
import { curveDataKind } from './curve-data.ts';
import { say } from './messages.ts';
import { plantTemplates } from './plant-templates.ts';
import { points } from './points.ts';

const types: readonly string[] = ['water', 'spread', 'height'];

/** Parsed as text; the hook reports unknown types under `curve_type`. [rule G6] */
const curveTypeKind: Kind<string> = { ...choiceKind(types), parse: textKind.parse };

/** Removes a curve from the templates of saved gardens, which do not keep it from being deleted. */
async function leaveTemplates(scope: DeviceScope, id: number): Promise<void> {
  const changed = new Set<number>();
  for (const key of ['water_curve_id', 'spread_curve_id', 'height_curve_id'] as const)
    for (const template of await scope.update(plantTemplates, { [key]: null }, { where: { [key]: id } }))
      changed.add(template.id);
  for (const template of changed) announceChanged(scope, plantTemplates, template);
}

/** Maximum number of plants in the message about a curve in use. */
const maxNames = 10;

/** [decision 34] */
export const curves = resource('curves', {
  tag: 'Garden',
  max: 1000,
  example: { name: 'Water for tomatoes', type: 'water', data: { '1': 10, '20': 500 } },
  description: 'How much water a plant needs, or its spread or height, by its age in days.',
  changeLogName: 'Curve',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  // Robots with OS 15.5.3 store them. [rule D8, decision 67]
  sync: 'listed',
  fields: {
    name: text().required().max(80).unique().label(labels.name),
    type: custom<string>(curveTypeKind).required().label(labels.kind),
    data: custom<CurveData>(curveDataKind)
      .required()
      .describe('Values by day number.')
      .label('Values by day', 'Valeurs par jour'),
  },
  hooks: {
    prepare(_scope, input) {
      const isKnown = input.type === undefined || types.includes(input.type);
      return isKnown ? {} : { curve_type: sayOfField.oneOf(labelOf('type', labels.kind), types.join(', ')) };
    },
    // [rule G7]
    async beforeDestroy(scope, { id }) {
      const plants = await scope.rows(points, {
        where: { discarded_at: null },
        and: sql`${id} in (water_curve_id, spread_curve_id, height_curve_id)`,
      });
      if (plants.length === 0) return leaveTemplates(scope, id);
      const names = [...new Set(plants.map(({ name }) => name))];
      throw invalid({ in_use: say.curveInUse(names.slice(0, maxNames), Math.max(0, names.length - maxNames)) });
    },
  },
});
