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
    [`pin_guard_${number}_active_state`]: flag(1),
    [`pin_guard_${number}_pin_nr`]: pin(),
    [`pin_guard_${number}_time_out`]: whole(60),
  }) as Guard<N>;

const scaling = ['encoder_scaling_x', 'encoder_scaling_y', 'encoder_scaling_z'] as const;

/** Parameters of the robot's firmware. A null that reached the machine could stop it. [rule D11, decision 54] */
export const firmwareConfig = singleton('firmware_config', {
  tag: 'Device',
  example: { movement_max_spd_x: 500, encoder_enabled_x: 1 },
  table: 'firmware_configs',
  description: 'The parameters of the robot’s firmware: motors, encoders, pins.',
  announced: 'FirmwareConfig',
  sync: 'listed',
  showsDevice: true,
  coercion: 'cast',
  refusesStale: true,
  fields: {
    ...axes('encoder_enabled', flag(1)),
    ...axes('encoder_invert', flag(0)),
    ...axes('encoder_missed_steps_decay', whole(5)),
    ...axes('encoder_missed_steps_max', whole(5)),
    ...axes('encoder_scaling', whole(5556)),
    ...axes('encoder_type', flag(0)),
    ...axes('encoder_use_for_pos', flag(0)),
    ...axes('movement_axis_nr_steps', whole(0)),
    ...axes('movement_enable_endpoints', flag(0)),
    ...axes('movement_home_at_boot', flag(0)),
    ...axes('movement_home_spd', whole(400)),
    ...axes('movement_home_up', flag(0), flag(1)),
    ...axes('movement_invert_endpoints', flag(0)),
    ...axes('movement_invert_motor', flag(0)),
    ...axes('movement_keep_active', flag(0), flag(1)),
    ...axes('movement_max_spd', whole(400)),
    ...axes('movement_min_spd', whole(50)),
    movement_secondary_motor_invert_x: flag(1),
    movement_secondary_motor_x: flag(1),
    ...axes('movement_step_per_mm', decimal(5), decimal(25)),
    ...axes('movement_steps_acc_dec', whole(300)),
    ...axes('movement_stop_at_home', flag(1)),
    ...axes('movement_stop_at_max', flag(1)),
    ...axes('movement_timeout', whole(180)),
    param_config_ok: whole(0),
    param_e_stop_on_mov_err: flag(0),
    param_mov_nr_retry: whole(3),
    param_test: whole(0),
    param_use_eeprom: flag(1),
    param_version: whole(1),
    ...guard(1),
    ...guard(2),
    ...guard(3),
    ...guard(4),
    ...guard(5),
    ...axes('movement_invert_2_endpoints', flag(0)),
    ...axes('movement_microsteps', whole(1)),
    ...axes('movement_motor_current', within(0, 1823, 1823)),
    ...axes('movement_stall_sensitivity', within(-63, 63, 63)),
    movement_min_spd_z2: whole(50),
    movement_max_spd_z2: whole(400),
    movement_steps_acc_dec_z2: whole(300),
    ...axes('movement_calibration_retry', whole(1)),
    ...axes('movement_calibration_deadzone', whole(50), whole(250)),
    ...axes('movement_axis_stealth', flag(1)),
    ...axes('movement_calibration_retry_total', whole(10)),
    pin_report_1_pin_nr: pin(),
    pin_report_2_pin_nr: pin(),
  },
  hooks: {
    // The scale of older firmware. [rule D12]
    prepare(_scope, input) {
      for (const name of scaling) if (input[name] === 56) input[name] = 5556;
    },
  },
});
