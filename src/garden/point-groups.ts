import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { pointOrders, usualOrder } from '../core/point-order.ts';
import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { custom, oneOf, text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { idSchema } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { maxElements, parseStrictList } from '../engine/strict-list.ts';
import { purgeExpiredEvents } from '../programs/farm-event-purge.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';
import type { Criteria } from './group-criteria.ts';
import { criteriaKind, noCriteria } from './group-criteria.ts';
import { say } from './messages.ts';

const isId = (value: unknown): value is number => Number.isSafeInteger(value);
const parseIdList = (value: unknown, name: string) => parseStrictList(value, name, isId, sayOfField.integerElement);

/** A list of ids, as JSON integers. */
const idsKind: Kind<number[]> = {
  column: 'json',
  parse: parseIdList,
  cast: parseIdList,
  output: Type.Array(idSchema),
  input: Type.Array(idSchema, { maxItems: maxElements }),
};

export const pointGroups = resource('point_groups', {
  tag: 'Garden',
  max: 1000,
  example: { name: 'Tomatoes', point_ids: [] },
  description: 'Points that programs visit together.',
  changeLogName: 'PointGroup',
  routes: ['list', 'show', 'destroy'],
  paginated: true,
  sync: 'listed',
  announcesEveryUpdate: true,
  shows: ['points'],
  fields: {
    name: text().max(80).required().label(labels.name),
    point_ids: custom<number[]>(idsKind)
      .describe('The members, in the order in which they were added.')
      .label('Members', 'Membres')
      .derived(
        `(select '[' || coalesce(string_agg(cast(item.point_id as text), ',' order by item.id), '') || ']' from point_group_items item where item.point_group_id = point_groups.id)`,
      ),
    sort_type: oneOf(...pointOrders)
      .default(usualOrder)
      .label('Order', 'Ordre'),
    criteria: custom<Criteria>(criteriaKind)
      .default(noCriteria)
      .describe('Further points that belong to the group. The server stores it, clients evaluate it.')
      .label('Criteria', 'Critères'),
  },
  hooks: {
    async beforeDestroy(scope, { id }) {
      // Expired farm events do not count as uses. [rule G14]
      await purgeExpiredEvents(scope);
      const uses = await findUses(scope, ['point_group'], [id]);
      if (uses.length > 0) throw invalid({ in_use: say.groupInUse(describeOwners(uses)) });
    },
  },
});

/** The fields of a body, in which members are a list of ids. */
export const groupInput = {
  ...pointGroups.fields,
  point_ids: custom<number[]>(idsKind).required().label('Members', 'Membres'),
};

/** The members of groups, in the order in which they were added. */
export const pointGroupItems = table(
  'point_group_items',
  {
    device_id: column.bigint().references('devices'),
    point_group_id: column.bigint().references('point_groups'),
    point_id: column.bigint().references('points'),
  },
  {
    reach: 'device',
    unique: [['point_group_id', 'point_id']],
    indexes: [['device_id'], ['point_id']],
    maximum: { rows: 50_000, key: 'point_group_item_count' },
  },
);
