import type { Field } from '../engine/fields.ts';
import { float, integer } from '../engine/fields.ts';
import { singleton } from '../engine/singleton.ts';

type Setting = Field<number>;

const whole = (value: number): Setting => integer().default(value);
const flag = (value: 0 | 1): Setting => integer().range(0, 1).default(value);
const within = (low: number, high: number, value: number): Setting => integer().range(low, high).default(value);
const decimal = (value: number): Setting => float().default(value);
const pin = (): Setting => within(0, 69, 0);

type PerAxis<N extends string> = { readonly [K in `${N}_${'x' | 'y' | 'z'}`]: Setting };

/** Repeats a field for each axis; `z` if its default differs. */
const axes = <const N extends string>(name: N, field: Setting, z: Setting = field): PerAxis<N> =>
  ({ [`${name}_x`]: field, [`${name}_y`]: field, [`${name}_z`]: z }) as PerAxis<N>;

type Guard<N extends number> = { readonly [K in `pin_guard_${N}_${'active_state' | 'pin_nr' | 'time_out'}`]: Setting };

const guard = <const N extends number>(number: N): Guard<N> =>
  ({
    [`pin_guard_${number}_active_state`]: flag(1).describe(
      'Whether the pin is switched on after the timeout, instead of off.',
    ),
    [`pin_guard_${number}_pin_nr`]: pin().describe(
      'The pin that is switched on or off when it has kept its state for too long. 0: none.',
    ),
    [`pin_guard_${number}_time_out`]: whole(60).describe('How long the pin may keep its state.').unit('seconds'),
  }) as Guard<N>;

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
  refusesStale: true,
  fields: {
    ...axes(
      'encoder_enabled',
      flag(1).describe('Whether lost steps are noticed, by an encoder or by the driver of the motor.'),
    ),
    ...axes('encoder_invert', flag(0).describe('Whether the encoder counts in the other direction.')),
    ...axes('encoder_missed_steps_decay', whole(5).describe('How many missed steps each good step makes up for.')),
    ...axes('encoder_missed_steps_max', whole(5).describe('How many missed steps stop the axis.').unit('steps')),
    ...axes(
      'encoder_scaling',
      whole(5556).describe('How many steps of the motor a pulse of the encoder stands for, times 10,000.'),
    ),
    ...axes('encoder_type', flag(0).describe('Whether the encoder is a differential one.')),
    ...axes('encoder_use_for_pos', flag(0).describe('Whether the position follows the encoder instead of the steps.')),
    ...axes('movement_axis_nr_steps', whole(0).describe('The length of the axis. 0: it is not known.').unit('steps')),
    ...axes('movement_enable_endpoints', flag(0).describe('Whether the axis has limit switches.')),
    ...axes('movement_home_at_boot', flag(0).describe('Whether the robot finds home on this axis when it starts.')),
    ...axes('movement_home_spd', whole(400).describe('The speed while the robot finds home.').unit('steps/s')),
    ...axes(
      'movement_home_up',
      flag(0).describe('Whether the axis has only coordinates of 0 and below.'),
      flag(1).describe('Whether the axis has only coordinates of 0 and below.'),
    ),
    ...axes('movement_invert_endpoints', flag(0).describe('Whether the limit switches of both ends are swapped.')),
    ...axes('movement_invert_motor', flag(0).describe('Whether the motor turns in the other direction.')),
    ...axes(
      'movement_keep_active',
      flag(0).describe('Whether the motor holds its position while it does not move.'),
      flag(1).describe('Whether the motor holds its position while it does not move.'),
    ),
    ...axes('movement_max_spd', whole(400).describe('The highest speed.').unit('steps/s')),
    ...axes('movement_min_spd', whole(50).describe('The speed with which a movement begins and ends.').unit('steps/s')),
    movement_secondary_motor_invert_x: flag(1).describe(
      'Whether the second motor of the x-axis turns in the other direction.',
    ),
    movement_secondary_motor_x: flag(1).describe('Whether a second motor drives the x-axis.'),
    ...axes(
      'movement_step_per_mm',
      decimal(5).describe('How many steps move the axis by one millimeter.').unit('steps/mm'),
      decimal(25).describe('How many steps move the axis by one millimeter.').unit('steps/mm'),
    ),
    ...axes(
      'movement_steps_acc_dec',
      whole(300).describe('The distance over which the axis speeds up and slows down.').unit('steps'),
    ),
    ...axes('movement_stop_at_home', flag(1).describe('Whether the axis never moves beyond home.')),
    ...axes(
      'movement_stop_at_max',
      flag(1).describe('Whether the axis never moves beyond its length, if that is known.'),
    ),
    ...axes('movement_timeout', whole(180).describe('How long a movement may take.').unit('seconds')),
    param_config_ok: whole(0).describe(
      'Whether the robot has sent all parameters to the motor controller; set by the robot.',
    ),
    param_e_stop_on_mov_err: flag(0).describe('Whether the robot stops and locks itself when a movement fails.'),
    param_mov_nr_retry: whole(3).describe('How often a movement that failed is tried again.'),
    param_test: whole(0).describe('For tests of the firmware.'),
    param_use_eeprom: flag(1).describe('Whether the motor controller keeps the parameters when it has no power.'),
    param_version: whole(1).describe('The version of the parameters; set by the robot.'),
    ...guard(1),
    ...guard(2),
    ...guard(3),
    ...guard(4),
    ...guard(5),
    ...axes(
      'movement_invert_2_endpoints',
      flag(0).describe('Whether the limit switches open when they are touched, instead of closing.'),
    ),
    ...axes('movement_microsteps', whole(1).describe('Into how many parts a step of the motor is divided.')),
    ...axes(
      'movement_motor_current',
      within(0, 1823, 1823).describe('The current of the motor: more is stronger and warmer.').unit('mA'),
    ),
    ...axes(
      'movement_stall_sensitivity',
      within(-63, 63, 63).describe('How easily a movement counts as blocked: the lower, the sooner.'),
    ),
    movement_min_spd_z2: whole(50)
      .describe('The speed with which a movement of the z-axis toward home begins and ends.')
      .unit('steps/s'),
    movement_max_spd_z2: whole(400).describe('The highest speed of the z-axis toward home.').unit('steps/s'),
    movement_steps_acc_dec_z2: whole(300)
      .describe('The distance over which the z-axis speeds up and slows down toward home.')
      .unit('steps'),
    ...axes(
      'movement_calibration_retry',
      whole(1).describe('How often a failed measurement of home or of the length is repeated.'),
    ),
    ...axes(
      'movement_calibration_deadzone',
      whole(50).describe('By how much two measurements of home or of the length may differ.').unit('steps'),
      whole(250).describe('By how much two measurements of home or of the length may differ.').unit('steps'),
    ),
    ...axes('movement_axis_stealth', flag(1).describe('Whether the motor runs quietly, with less force.')),
    ...axes(
      'movement_calibration_retry_total',
      whole(10).describe('How many measurements of home or of the length are made at most.'),
    ),
    pin_report_1_pin_nr: pin().describe('A pin whose changes the motor controller reports by itself. 0: none.'),
    pin_report_2_pin_nr: pin().describe('A pin whose changes the motor controller reports by itself. 0: none.'),
  },
  hooks: {
    // The scale of older firmware. [rule D12]
    prepare(_scope, input) {
      for (const name of scaling) if (input[name] === 56) input[name] = 5556;
    },
  },
});
