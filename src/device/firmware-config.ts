import type { Field } from '../engine/fields.ts';
import { float, integer } from '../engine/fields.ts';
import type { Label } from '../engine/labels.ts';
import { singleton } from '../engine/singleton.ts';
import { settingGroups } from './setting-groups.ts';

type Setting = Field<number, true>;

const whole = (value: number, ...label: Label) =>
  integer()
    .default(value)
    .label(...label);
const flag = (value: 0 | 1, ...label: Label) =>
  integer()
    .range(0, 1)
    .default(value)
    .label(...label);
const within = (low: number, high: number, value: number, ...label: Label) =>
  integer()
    .range(low, high)
    .default(value)
    .label(...label);
const decimal = (value: number, ...label: Label) =>
  float()
    .default(value)
    .label(...label);
const pin = (...label: Label) => within(0, 69, 0, ...label);

/** Returns the field of an axis or of a number, by which its label ends. */
const numbered = (field: Setting, suffix: string | number): Setting => {
  const { label } = field.traits;
  return label ? field.label(`${label.en} ${suffix}`, `${label.fr} ${suffix}`) : field;
};

const axes = ['x', 'y', 'z'] as const;

type PerAxis<D> = {
  readonly [K in keyof D as K extends `${infer N}_?` ? `${N}_${(typeof axes)[number]}` : K]: Setting;
};

/** Defaults of the z-axis where it has others. */
const defaultsOfZ: Readonly<Record<string, number>> = {
  'movement_home_up_?': 1,
  'movement_keep_active_?': 1,
  'movement_step_per_mm_?': 25,
};

/** Repeats fields named `…_?` for each axis. */
const perAxis = <const D extends Readonly<Record<string, Setting>>>(declared: D): PerAxis<D> =>
  Object.fromEntries(
    Object.entries(declared).flatMap(([name, field]) =>
      name.endsWith('_?')
        ? axes.map((axis) => {
            const z = axis === 'z' ? defaultsOfZ[name] : undefined;
            return [name.replace('?', axis), numbered(z === undefined ? field : field.default(z), axis)];
          })
        : [[name, field]],
    ),
  ) as PerAxis<D>;

type Guard<N extends number> = { readonly [K in `pin_guard_${N}_${'active_state' | 'pin_nr' | 'time_out'}`]: Setting };

const guardFields = {
  active_state: flag(1, 'Switch on when the time is over', 'Allumer après le délai').describe(
    'Whether the pin is switched on after the timeout, instead of off.',
    'Si la broche est allumée après le délai, au lieu d’éteinte.',
  ),
  pin_nr: pin('Guarded pin', 'Broche surveillée').describe(
    'The pin that is switched on or off when it has kept its state for too long. 0: none.',
    'La broche qui est commutée après le délai. 0 : aucune.',
  ),
  time_out: whole(60, 'Time limit', 'Délai')
    .describe('How long the pin may keep its state.', 'Combien de temps la broche peut rester dans le même état.')
    .unit('seconds'),
};

const guard = <const N extends number>(number: N): Guard<N> =>
  Object.fromEntries(
    Object.entries(guardFields).map(([name, field]) => [`pin_guard_${number}_${name}`, numbered(field, number)]),
  ) as Guard<N>;

const scaling = ['encoder_scaling_x', 'encoder_scaling_y', 'encoder_scaling_z'] as const;

/** Parameters of the robot's firmware. A null that reached the machine could stop it. [rule D11, decision 54] */
export const firmwareConfig = singleton('firmware_config', {
  tag: 'Device',
  example: { movement_max_spd_x: 500, encoder_enabled_x: 1 },
  table: 'firmware_configs',
  description: 'The parameters of the robot’s firmware: motors, encoders, pins.',
  changeLogName: 'FirmwareConfig',
  sync: 'listed',
  showsDevice: true,
  coercion: 'cast',
  groups: settingGroups.firmware,
  refusesStale: true,
  fields: perAxis({
    'encoder_enabled_?': flag(1, 'Notice lost steps', 'Remarquer les pas perdus').describe(
      'Whether lost steps are noticed, by an encoder or by the driver of the motor.',
      'Si les pas perdus sont remarqués, par un encodeur ou par le moteur.',
    ),
    'encoder_invert_?': flag(0, 'Turn the encoder around', 'Inverser l’encodeur').describe(
      'Whether the encoder counts in the other direction.',
      'Si l’encodeur compte dans l’autre sens.',
    ),
    'encoder_missed_steps_decay_?': whole(
      5,
      'Missed steps that a good step makes up for',
      'Pas perdus compensés',
    ).describe('How many missed steps each good step makes up for.', 'Combien de pas perdus un bon pas compense.'),
    'encoder_missed_steps_max_?': whole(5, 'Missed steps that stop the axis', 'Pas perdus jusqu’à l’arrêt')
      .describe('How many missed steps stop the axis.', 'Combien de pas perdus arrêtent l’axe.')
      .unit('steps'),
    'encoder_scaling_?': whole(5556, 'Scaling of the encoder', 'Échelle de l’encodeur').describe(
      'How many steps of the motor a pulse of the encoder stands for, times 10,000.',
      'Combien de pas vaut une impulsion de l’encodeur, fois 10 000.',
    ),
    'encoder_type_?': flag(0, 'Differential encoder', 'Encodeur différentiel').describe(
      'Whether the encoder is a differential one.',
      'Si l’encodeur est différentiel.',
    ),
    'encoder_use_for_pos_?': flag(0, 'Position by the encoder', 'Position par l’encodeur').describe(
      'Whether the position follows the encoder instead of the steps.',
      'Si la position suit l’encodeur au lieu des pas.',
    ),
    'movement_axis_nr_steps_?': whole(0, 'Length', 'Longueur')
      .describe('The length of the axis. 0: it is not known.', 'La longueur de l’axe. 0 : inconnue.')
      .unit('steps'),
    'movement_enable_endpoints_?': flag(0, 'Limit switches', 'Interrupteurs de fin de course').describe(
      'Whether the axis has limit switches.',
      'Si l’axe a des interrupteurs de fin de course.',
    ),
    'movement_home_at_boot_?': flag(0, 'Find home at the start', 'Trouver l’origine au démarrage').describe(
      'Whether the robot finds home on this axis when it starts.',
      'Si le robot trouve l’origine de l’axe au démarrage.',
    ),
    'movement_home_spd_?': whole(400, 'Speed of finding home', 'Vitesse de recherche de l’origine')
      .describe('The speed while the robot finds home.', 'La vitesse quand le robot cherche l’origine.')
      .unit('steps/s'),
    'movement_home_up_?': flag(0, 'Only coordinates of 0 and below', 'Seulement 0 et moins').describe(
      'Whether the axis has only coordinates of 0 and below.',
      'Si l’axe n’a que des coordonnées de 0 et moins.',
    ),
    'movement_invert_endpoints_?': flag(0, 'Swap the limit switches', 'Échanger les interrupteurs').describe(
      'Whether the limit switches of both ends are swapped.',
      'Si les interrupteurs des deux bouts sont échangés.',
    ),
    'movement_invert_motor_?': flag(0, 'Turn the motor around', 'Inverser le moteur').describe(
      'Whether the motor turns in the other direction.',
      'Si le moteur tourne dans l’autre sens.',
    ),
    'movement_keep_active_?': flag(0, 'Hold the position', 'Tenir la position').describe(
      'Whether the motor holds its position while it does not move.',
      'Si le moteur tient sa position quand il ne bouge pas.',
    ),
    'movement_max_spd_?': whole(400, 'Highest speed', 'Vitesse maximale')
      .describe('The highest speed.', 'La plus grande vitesse.')
      .unit('steps/s'),
    'movement_min_spd_?': whole(50, 'Lowest speed', 'Vitesse minimale')
      .describe('The speed with which a movement begins and ends.', 'La vitesse au début et à la fin d’un mouvement.')
      .unit('steps/s'),
    movement_secondary_motor_invert_x: flag(
      1,
      'Turn the second motor around x',
      'Inverser le second moteur x',
    ).describe(
      'Whether the second motor of the x-axis turns in the other direction.',
      'Si le second moteur de x tourne dans l’autre sens.',
    ),
    movement_secondary_motor_x: flag(1, 'Second motor x', 'Second moteur x').describe(
      'Whether a second motor drives the x-axis.',
      'Si un second moteur entraîne l’axe x.',
    ),
    'movement_step_per_mm_?': decimal(5, 'Steps for a millimeter', 'Pas par millimètre')
      .describe('How many steps move the axis by one millimeter.', 'Combien de pas avancent l’axe d’un millimètre.')
      .unit('steps/mm'),
    'movement_steps_acc_dec_?': whole(300, 'Distance of speeding up', 'Distance d’accélération')
      .describe(
        'The distance over which the axis speeds up and slows down.',
        'La distance sur laquelle l’axe accélère et freine.',
      )
      .unit('steps'),
    'movement_stop_at_home_?': flag(1, 'Stop at home', 'S’arrêter à l’origine').describe(
      'Whether the axis never moves beyond home.',
      'Si l’axe ne dépasse jamais l’origine.',
    ),
    'movement_stop_at_max_?': flag(1, 'Stop at the end', 'S’arrêter au bout').describe(
      'Whether the axis never moves beyond its length, if that is known.',
      'Si l’axe ne dépasse jamais sa longueur, quand elle est connue.',
    ),
    'movement_timeout_?': whole(180, 'Longest movement', 'Durée maximale d’un mouvement')
      .describe('How long a movement may take.', 'Combien de temps un mouvement peut durer.')
      .unit('seconds'),
    param_config_ok: whole(0, 'All parameters were sent', 'Tous les paramètres envoyés').describe(
      'Whether the robot has sent all parameters to the motor controller; set by the robot.',
      'Si le robot a envoyé tous les paramètres ; fixé par le robot.',
    ),
    param_e_stop_on_mov_err: flag(0, 'Stop when a movement fails', 'Arrêt après un échec').describe(
      'Whether the robot stops and locks itself when a movement fails.',
      'Si le robot s’arrête et se verrouille quand un mouvement échoue.',
    ),
    param_mov_nr_retry: whole(3, 'Attempts after a failure', 'Essais après un échec').describe(
      'How often a movement that failed is tried again.',
      'Combien de fois un mouvement qui a échoué est réessayé.',
    ),
    param_test: whole(0, 'Test', 'Test').describe('For tests of the firmware.', 'Pour les tests du micrologiciel.'),
    param_use_eeprom: flag(1, 'Keep parameters without power', 'Garder sans courant').describe(
      'Whether the motor controller keeps the parameters when it has no power.',
      'Si le contrôleur garde les paramètres sans courant.',
    ),
    param_version: whole(1, 'Version of the parameters', 'Version des paramètres').describe(
      'The version of the parameters; set by the robot.',
      'La version des paramètres ; fixée par le robot.',
    ),
    ...guard(1),
    ...guard(2),
    ...guard(3),
    ...guard(4),
    ...guard(5),
    'movement_invert_2_endpoints_?': flag(0, 'Limit switches that open', 'Interrupteurs qui s’ouvrent').describe(
      'Whether the limit switches open when they are touched, instead of closing.',
      'Si les interrupteurs s’ouvrent au contact.',
    ),
    'movement_microsteps_?': whole(1, 'Microsteps', 'Micro-pas').describe(
      'Into how many parts a step of the motor is divided.',
      'En combien de parties un pas du moteur est divisé.',
    ),
    'movement_motor_current_?': within(0, 1823, 1823, 'Current', 'Courant')
      .describe(
        'The current of the motor: more is stronger and warmer.',
        'Le courant du moteur : plus de courant, plus de force et de chaleur.',
      )
      .unit('mA'),
    'movement_stall_sensitivity_?': within(-63, 63, 63, 'Sensitivity to blocking', 'Sensibilité au blocage').describe(
      'How easily a movement counts as blocked: the lower, the sooner.',
      'Plus la valeur est basse, plus vite un blocage est remarqué.',
    ),
    movement_min_spd_z2: whole(50, 'Lowest speed toward home, z', 'Vitesse minimale vers l’origine, z')
      .describe(
        'The speed with which a movement of the z-axis toward home begins and ends.',
        'Au début et à la fin d’un mouvement de z vers l’origine.',
      )
      .unit('steps/s'),
    movement_max_spd_z2: whole(400, 'Highest speed toward home, z', 'Vitesse maximale vers l’origine, z')
      .describe('The highest speed of the z-axis toward home.', 'La plus grande vitesse de z vers l’origine.')
      .unit('steps/s'),
    movement_steps_acc_dec_z2: whole(
      300,
      'Distance of speeding up toward home, z',
      'Distance d’accélération vers l’origine, z',
    )
      .describe(
        'The distance over which the z-axis speeds up and slows down toward home.',
        'La distance sur laquelle z accélère et freine vers l’origine.',
      )
      .unit('steps'),
    'movement_calibration_retry_?': whole(1, 'Repetitions of a measurement', 'Répétitions d’une mesure').describe(
      'How often a failed measurement of home or of the length is repeated.',
      'Combien de fois une mesure qui a échoué est répétée.',
    ),
    // [decision 67]
    'movement_calibration_deadzone_?': whole(250, 'Tolerance of a measurement', 'Tolérance d’une mesure')
      .describe(
        'By how much two measurements of home or of the length may differ.',
        'De combien deux mesures de l’axe peuvent différer.',
      )
      .unit('steps'),
    'movement_axis_stealth_?': flag(1, 'Quiet motor', 'Moteur silencieux').describe(
      'Whether the motor runs quietly, with less force.',
      'Si le moteur tourne en silence, avec moins de force.',
    ),
    'movement_calibration_retry_total_?': whole(10, 'Measurements at most', 'Mesures au plus').describe(
      'How many measurements of home or of the length are made at most.',
      'Combien de mesures de l’axe sont faites au plus.',
    ),
    pin_report_1_pin_nr: pin('Reported pin 1', 'Broche signalée 1').describe(
      'A pin whose changes the motor controller reports by itself. 0: none.',
      'Une broche dont le contrôleur signale les changements. 0 : aucune.',
    ),
    pin_report_2_pin_nr: pin('Reported pin 2', 'Broche signalée 2').describe(
      'A pin whose changes the motor controller reports by itself. 0: none.',
      'Une broche dont le contrôleur signale les changements. 0 : aucune.',
    ),
  }),
  hooks: {
    // The scale of older firmware. [rule D12]
    prepare(_scope, input) {
      for (const name of scaling) if (input[name] === 56) input[name] = 5556;
    },
  },
});
