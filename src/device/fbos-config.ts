import { bigint, boolean, integer, oneOf, text } from '../engine/fields.ts';
import { singleton } from '../engine/singleton.ts';

/** Boards of robots. [decision 7] */
export const firmwareHardware = [
  'none',
  'arduino',
  'farmduino',
  'farmduino_k14',
  'farmduino_k15',
  'farmduino_k16',
  'farmduino_k17',
  'farmduino_k18',
  'farmduino_k19',
  'express_k10',
  'express_k11',
  'express_k12',
] as const;

export const updateChannels = ['stable', 'beta', 'alpha'] as const;

const off = () => boolean().default(false);
const on = () => boolean().default(true);

/** Settings of the robot's operating system. Only what has no default can be null. [rule D9, decision 24, 54] */
export const fbosConfig = singleton('fbos_config', {
  tag: 'Device',
  example: { os_auto_update: false, safe_height: -20 },
  table: 'fbos_configs',
  description: 'Settings of the robot: logs, updates, heights.',
  announced: 'FbosConfig',
  sync: 'listed',
  showsDevice: true,
  coercion: 'cast',
  refusesStale: true,
  fields: {
    // Stored as sent, shown as true: otherwise robots would erase themselves. [rule D10, decision 55]
    disable_factory_reset: on().shownAs('true'),
    firmware_input_log: off(),
    firmware_output_log: off(),
    sequence_body_log: off(),
    sequence_complete_log: off(),
    sequence_init_log: off(),
    network_not_found_timer: integer().nullable(),
    firmware_hardware: oneOf(...firmwareHardware).nullable(),
    os_auto_update: on(),
    arduino_debug_messages: off(),
    firmware_path: text().nullable(),
    firmware_debug_log: off(),
    update_channel: oneOf(...updateChannels).default('stable'),
    boot_sequence_id: bigint().nullable().references('sequences', 'no action', { key: 'boot_sequence_id' }),
    safe_height: integer().default(0),
    soil_height: integer().default(-500),
    gantry_height: integer().default(0),
    default_axis_order: text().max(10).default('xy,z;high'),
  },
});
