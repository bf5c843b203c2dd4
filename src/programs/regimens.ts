import { labels } from '../core/field-labels.ts';
import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';
import { custom, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { nodesKind } from './program-kinds.ts';
import type { RegimenItemInput } from './regimen-items.ts';
import { itemsExpression, itemsKind } from './regimen-items.ts';
import { colors } from './sequences.ts';

/** A plan that runs sequences at given times. [rule P36] */
export const regimens = resource('regimens', {
  tag: 'Programs',
  max: 1000,
  example: { name: 'Every morning', color: 'green', regimen_items: [] },
  description: 'A plan that runs sequences at given times after its start.',
  changeLogName: 'Regimen',
  routes: ['list', 'show'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  showsDevice: true,
  announcesEveryUpdate: true,
  shows: ['sequences'],
  fields: {
    name: text().max(280).required().notNull().unique().label(labels.name),
    color: oneOf(...colors)
      .nullable()
      .required()
      .label(labels.color),
    regimen_items: custom<RegimenItemInput[]>(itemsKind)
      .describe('Which sequence runs when, in milliseconds after the start, in the order in which the items were sent.')
      .label('Days', 'Jours')
      .derived(itemsExpression),
    body: custom<object[]>(nodesKind('internal_regimen'))
      .default([])
      .describe('Values for the variables of the sequences.')
      .label(labels.body),
  },
});

/** The fields of a request body: the resource's, with the items as they are sent. */
export const regimenInputFields = {
  ...regimens.fields,
  regimen_items: custom<RegimenItemInput[]>(itemsKind)
    .required()
    .notNull()
    .describe('They replace all existing items.')
    .label('Days', 'Jours'),
};

/** The items of regimens: which sequence runs when. */
export const regimenItems = table(
  'regimen_items',
  {
    device_id: column.bigint().references('devices'),
    regimen_id: column.bigint().references('regimens'),
    sequence_id: column.bigint().references('sequences', 'no action'),
    /** Milliseconds after the start. */
    time_offset: column.bigint(),
  },
  {
    reach: 'device',
    indexes: [['device_id'], ['regimen_id'], ['sequence_id']],
    maximum: { rows: 50_000, key: 'regimen_item_count' },
  },
);
