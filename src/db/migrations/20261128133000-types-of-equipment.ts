import {
  effectorX,
  effectorZ,
  knownTools,
  peripheralsByPin,
  peripheralsOfArduino,
  sensorsByPin,
  unmountableTools,
} from '../../core/known-equipment.ts';
import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';
import type { DialectSql } from '../schema-editor.ts';

/** Adds the types of tools, peripherals and sensors, the offsets of tools and the mounts of slots. [ADR 105] */
export const typesOfEquipment: Migration = {
  number: 20261128133000,
  name: 'types of equipment',
  expand(schema) {
    schema.addColumn('tools', 'type', column.text().default('none'));
    schema.addColumn('tools', 'utm_mountable', column.boolean().default(true));
    for (const axis of ['x', 'y', 'z']) schema.addColumn('tools', `effector_offset_${axis}`, column.float().default(0));
    schema.addColumn('points', 'mount_stage', column.integer().default(0));
    for (const axis of ['x', 'y', 'z']) schema.addColumn('points', `mount_offset_${axis}`, column.float().default(0));
    schema.addColumn('peripherals', 'type', column.text().default('none'));
    schema.addColumn('sensors', 'type', column.text().default('none'));
  },
};

/** Adds the time of the update: robots read a record again if it changes. */
const touching = (assignments: string): DialectSql => ({
  sqlite: `${assignments}, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ')`,
  postgres: `${assignments}, updated_at = date_trunc('milliseconds', now())`,
});

/** Returns an SQL expression for the value of the first condition that holds. */
const firstOf = (values: readonly (readonly [condition: string, value: string])[], otherwise: string): string =>
  `case ${values.map(([condition, value]) => `when ${condition} then ${value}`).join(' ')} else ${otherwise} end`;

const types = (byPin: Readonly<Record<number, string>>): string =>
  firstOf(
    Object.entries(byPin).map(([pin, type]) => [`pin = ${pin}`, `'${type}'`]),
    `'none'`,
  );

const byType = (values: Readonly<Record<string, number>>): (readonly [string, string])[] =>
  Object.entries(values).map(([type, value]) => [`type = '${type}'`, String(value)]);

/** Types of tools by their names. */
export const typesOfTools: Migration = {
  number: 20261128133001,
  name: 'types of tools',
  backfill: {
    table: 'tools',
    set: `type = ${firstOf(
      knownTools.flatMap(({ type, names }) =>
        names.map((name) => [`lower(name) like '%${name}%'`, `'${type}'`] as const),
      ),
      `'none'`,
    )}`,
  },
};

/** Offsets of tools by their types. */
export const offsetsOfTools: Migration = {
  number: 20261128133002,
  name: 'offsets of tools',
  backfill: {
    table: 'tools',
    set: touching(
      [
        `utm_mountable = type not in (${unmountableTools.map((type) => `'${type}'`).join(', ')})`,
        `effector_offset_x = ${firstOf(byType(effectorX), '0')}`,
        `effector_offset_z = ${firstOf([...byType(effectorZ), [`type = 'seeder'`, '0 - seeder_tip_z_offset']], '0')}`,
      ].join(', '),
    ),
  },
};

/** Slots on the gantry move along x. */
export const mountsOfSlots: Migration = {
  number: 20261128133003,
  name: 'mounts of slots',
  backfill: {
    table: 'points',
    set: touching(`mount_stage = ${firstOf([['gantry_mounted', '1']], '0')}`),
    where: `pointer_type = 'ToolSlot'`,
  },
};

/** Types of peripherals by their pins. */
export const typesOfPeripherals: Migration = {
  number: 20261128133004,
  name: 'types of peripherals',
  backfill: {
    table: 'peripherals',
    set: touching(
      `type = ${firstOf(
        [
          [
            `exists (select 1 from fbos_configs where fbos_configs.device_id = peripherals.device_id and firmware_hardware = 'arduino')`,
            types(peripheralsOfArduino),
          ],
        ],
        types(peripheralsByPin),
      )}`,
    ),
  },
};

/** Types of sensors by their pins. */
export const typesOfSensors: Migration = {
  number: 20261128133005,
  name: 'types of sensors',
  backfill: { table: 'sensors', set: touching(`type = ${types(sensorsByPin)}`) },
};
