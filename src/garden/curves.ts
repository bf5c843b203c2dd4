import { sql } from 'kysely';
import { invalid } from '../core/errors.ts';
import { custom, text } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { choiceKind, textKind } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import type { CurveData } from './curve-data.ts';
import { curveDataKind } from './curve-data.ts';
import { points } from './points.ts';

const types: readonly string[] = ['water', 'spread', 'height'];

/** Text to the fields; that it is one of three is told under another key, `curve_type`. [reference: curves] */
const curveTypeKind: Kind<string> = { ...choiceKind(types), parse: textKind.parse };

/** Names told at most, so that the sentence stays one. */
const maxNames = 10;

/** [Spec curves; decision 34] */
export const curves = resource('curves', {
  description: 'How water, spread or height of a plant changes with its age in days.',
  announced: 'Curve',
  routes: 'list show create update destroy',
  paginated: true,
  destroyReply: 'empty',
  fields: {
    name: text().required().max(80).unique(),
    type: custom<string>(curveTypeKind).required(),
    data: custom<CurveData>(curveDataKind).required().describe('Values by day number.'),
  },
  hooks: {
    prepare(_scope, input) {
      const isKnown = input.type === undefined || types.includes(input.type);
      return isKnown ? {} : { curve_type: `Type must be one of ${types.join(', ')}.` };
    },
    async beforeDestroy(scope, { id }) {
      const plants = await scope.rows(points, {
        where: { discarded_at: null },
        and: sql`${id} in (water_curve_id, spread_curve_id, height_curve_id)`,
      });
      if (plants.length === 0) return;
      const names = [...new Set(plants.map(({ name }) => name))];
      const rest = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
      throw invalid({ in_use: `This curve is still in use by ${names.slice(0, maxNames).join(', ')}${rest}.` });
    },
  },
});
