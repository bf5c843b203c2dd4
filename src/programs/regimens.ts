import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';
import { custom, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import type { RegimenItemInput } from './regimen-items.ts';
import { itemsExpression, itemsKind } from './regimen-items.ts';
import { colors } from './sequences.ts';
import { jsonKind } from './stored-json.ts';

/** Sequences spread over days. [Spec regimens] */
export const regimens = resource('regimens', {
  description: 'A plan that runs sequences at given times after its start.',
  announced: 'Regimen',
  routes: ['list', 'show'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  showsDevice: true,
  announcesEveryUpdate: true,
  fields: {
    name: text().max(280).required().notNull().unique(),
    color: oneOf(...colors)
      .nullable()
      .required(),
    regimen_items: custom<RegimenItemInput[]>(itemsKind)
      .describe('Which sequence runs when, in milliseconds after the start, in the order in which they were sent.')
      .derived(itemsExpression),
    body: custom<object[]>(jsonKind(true)).default([]).describe('What the sequences are given for their variables.'),
  },
});

/** What a body may say of a regimen: its fields, and its items as they are sent. */
export const regimenInputFields = {
  ...regimens.fields,
  regimen_items: custom<RegimenItemInput[]>(itemsKind)
    .required()
    .notNull()
    .describe('All of them: those of before are replaced.'),
};

/** When a regimen runs which sequence. */
export const regimenItems = table(
  'regimen_items',
  {
    device_id: column.bigint().references('devices'),
    regimen_id: column.bigint().references('regimens'),
    sequence_id: column.bigint().references('sequences', 'no action'),
    /** Milliseconds after the start. */
    time_offset: column.bigint(),
  },
  { reach: 'device', indexes: [['device_id'], ['regimen_id'], ['sequence_id']] },
);
