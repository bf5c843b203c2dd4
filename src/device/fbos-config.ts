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
  changeLogName: 'FbosConfig',
  sync: 'listed',
  showsDevice: true,
  coercion: 'cast',
  refusesStale: true,
  fields: {
    // Stored as sent, shown as true: otherwise robots would erase themselves. [rule D10, decision 55]
    disable_factory_reset: on()
      .shownAs('true')
      .describe('Keeps the robot from erasing itself when it finds no network. Always shown as true.'),
    firmware_input_log: off().describe('Logs what is sent to the motor controller.'),
    firmware_output_log: off().describe('Logs what the motor controller sends.'),
    sequence_body_log: off().describe('Logs each step of a sequence that runs.'),
    sequence_complete_log: off().describe('Logs the end of each sequence.'),
    sequence_init_log: off().describe('Logs the start of each sequence.'),
    network_not_found_timer: integer()
      .nullable()
      .describe('How long the robot looks for its network before it erases itself, unless that is disabled.')
      .unit('minutes'),
    firmware_hardware: oneOf(...firmwareHardware)
      .nullable()
      .describe('The electronics of the robot. Null: not chosen yet.'),
    os_auto_update: on().describe('Installs updates of the robot’s software by itself, at `ota_hour` of the device.'),
    arduino_debug_messages: off().describe('Logs details of the motor controller.'),
    firmware_path: text()
      .nullable()
      .describe('The port of the motor controller, such as `ttyACM0`. Null: the robot finds it.'),
    firmware_debug_log: off().describe('Logs details of the firmware.'),
    update_channel: oneOf(...updateChannels)
      .default('stable')
      .describe(
        'Which versions of the robot’s software are installed: stable ones, or also those that are still being tried.',
      ),
    boot_sequence_id: bigint()
      .nullable()
      .references('sequences', 'no action', { key: 'boot_sequence_id' })
      .describe('The sequence that runs when the robot starts. Its parameters need defaults.'),
    safe_height: integer().default(0).describe('The height (z) at which the robot can travel over plants.').unit('mm'),
    soil_height: integer().default(-500).describe('The height (z) of the soil.').unit('mm'),
    gantry_height: integer().default(0).describe('How high the gantry is above the bed, for drawings.').unit('mm'),
    default_axis_order: text()
      .max(10)
      .default('xy,z;high')
      .describe(
        'In which order the axes move, unless a step says so: those before a comma first, and after the semicolon whether the robot travels high.',
      ),
  },
});
