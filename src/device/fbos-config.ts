import { labels } from '../core/field-labels.ts';
import { bigint, boolean, integer, oneOf, text } from '../engine/fields.ts';
import type { Label } from '../engine/labels.ts';
import { singleton } from '../engine/singleton.ts';
import { settingGroups } from './setting-groups.ts';

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

const off = (...label: Label) =>
  boolean()
    .default(false)
    .label(...label);
const on = (...label: Label) =>
  boolean()
    .default(true)
    .label(...label);

/** Settings of the robot's operating system. Only settings without a default can be null. [rule D9, decision 24, 54] */
export const fbosConfig = singleton('fbos_config', {
  tag: 'Device',
  example: { os_auto_update: false, safe_height: -20 },
  table: 'fbos_configs',
  description: 'Settings of the robot: logs, updates, heights.',
  changeLogName: 'FbosConfig',
  sync: 'listed',
  showsDevice: true,
  coercion: 'cast',
  groups: settingGroups.os,
  refusesStale: true,
  fields: {
    // Stored as sent, shown as true: otherwise robots would erase themselves. [rule D10, decision 55]
    disable_factory_reset: on('Never erase itself', 'Ne jamais s’effacer')
      .shownAs('true')
      .describe('Keeps the robot from erasing itself when it finds no network. Always shown as true.')
      .hint(
        'Keeps the robot from erasing itself when it finds no network.',
        'Le robot ne s’efface pas quand il ne trouve pas de réseau.',
      ),
    firmware_input_log: off('Log what goes to the motor controller', 'Journaliser les ordres aux moteurs').describe(
      'Logs what is sent to the motor controller.',
      'Journalise ce qui est envoyé au contrôleur des moteurs.',
    ),
    firmware_output_log: off(
      'Log what comes from the motor controller',
      'Journaliser les réponses des moteurs',
    ).describe('Logs what the motor controller sends.', 'Journalise ce que le contrôleur des moteurs envoie.'),
    sequence_body_log: off('Log each step', 'Journaliser chaque étape').describe(
      'Logs each step of a sequence that runs.',
      'Journalise chaque étape d’un programme qui s’exécute.',
    ),
    sequence_complete_log: off('Log the end of programs', 'Journaliser la fin des programmes').describe(
      'Logs the end of each sequence.',
      'Journalise la fin de chaque programme.',
    ),
    sequence_init_log: off('Log the start of programs', 'Journaliser le début des programmes').describe(
      'Logs the start of each sequence.',
      'Journalise le début de chaque programme.',
    ),
    network_not_found_timer: integer()
      .nullable()
      .describe(
        'How long the robot looks for its network before it erases itself, unless that is disabled.',
        'Combien de temps le robot cherche son réseau avant de s’effacer, sauf si c’est désactivé.',
      )
      .unit('minutes')
      .label('Time without a network', 'Temps sans réseau'),
    firmware_hardware: oneOf(...firmwareHardware)
      .nullable()
      .describe('The electronics of the robot. Null: not chosen yet.')
      .hint('The electronics of the robot.', 'L’électronique du robot.')
      .label(labels.electronics),
    os_auto_update: on('Update by itself', 'Se mettre à jour seul')
      .describe('Installs updates of the robot’s software by itself, at `ota_hour` of the device.')
      .hint(
        'Installs updates of the robot’s software by itself, at the hour of updates.',
        'Installe seul les mises à jour du robot, à l’heure des mises à jour.',
      ),
    arduino_debug_messages: off(
      'Log details of the motor controller',
      'Journaliser les détails du contrôleur',
    ).describe('Logs details of the motor controller.', 'Journalise les détails du contrôleur des moteurs.'),
    firmware_path: text()
      .nullable()
      .describe('The port of the motor controller, such as `ttyACM0`. Null: the robot finds it.')
      .hint('Such as ttyACM0. Empty: the robot finds it.', 'Comme ttyACM0. Vide : le robot le trouve.')
      .label('Port of the motor controller', 'Port du contrôleur des moteurs'),
    firmware_debug_log: off('Log details of the firmware', 'Journaliser les détails du micrologiciel').describe(
      'Logs details of the firmware.',
      'Journalise les détails du micrologiciel.',
    ),
    update_channel: oneOf(...updateChannels)
      .default('stable')
      .describe(
        'Which versions of the robot’s software are installed: stable ones, or also those that are still being tried.',
        'Quelles versions sont installées : les stables, ou aussi celles à l’essai.',
      )
      .label('Versions', 'Versions'),
    boot_sequence_id: bigint()
      .nullable()
      .references('sequences', 'no action', { key: 'boot_sequence_id' })
      .describe(
        'The sequence that runs when the robot starts. Its parameters need defaults.',
        'Le programme qui s’exécute quand le robot démarre.',
      )
      .label('Program at the start', 'Programme au démarrage'),
    safe_height: integer()
      .default(0)
      .describe(
        'The height (z) at which the robot can travel over plants.',
        'La hauteur (z) à laquelle le robot passe au-dessus des plantes.',
      )
      .unit('mm')
      .label('Safe height', 'Hauteur sûre'),
    soil_height: integer()
      .default(-500)
      .describe('The height (z) of the soil.', 'La hauteur (z) du sol.')
      .unit('mm')
      .label('Height of the soil', 'Hauteur du sol'),
    gantry_height: integer()
      .default(0)
      .describe(
        'How high the gantry is above the bed, for drawings.',
        'La hauteur du portique au-dessus de la planche, pour les dessins.',
      )
      .unit('mm')
      .label('Height of the gantry', 'Hauteur du portique'),
    default_axis_order: text()
      .addition()
      .max(10)
      .default('xy,z;high')
      .describe(
        'In which order the axes move, unless a step says so: those before a comma first, and after the semicolon whether the robot travels high.',
        'Dans quel ordre les axes bougent si une étape ne le dit pas : d’abord ceux avant une virgule.',
      )
      .label('Order of the axes', 'Ordre des axes'),
  },
});
