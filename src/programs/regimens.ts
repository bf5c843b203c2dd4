import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';
import { of, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import { colors } from './sequences.ts';
import { storedJson } from './stored-json.ts';

/** Sequences spread over days. Its routes come with the command language. */
export const regimens = resource('regimens', {
  about: 'A plan that runs sequences at given times after its start.',
  announced: 'Regimen',
  sync: 'listed',
  showsDevice: true,
  announcesEveryUpdate: true,
  fields: {
    name: text().max(280).required().unique(),
    color: oneOf(...colors)
      .nullable()
      .required(),
    body: of<object[]>(storedJson(true)).default([]),
  },
});

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
