import type { FieldLimit } from './field-limit.ts';

/** Limits of a config. Null counts as not sent where there is a default. */
type ConfigLimits = Readonly<Record<string, FieldLimit>>;

const value = (one: unknown): FieldLimit => ({ default: one });
const flag = (one: 0 | 1): FieldLimit => ({ range: [0, 1], default: one });
const all = (names: string, limit: FieldLimit): ConfigLimits =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, limit]),
  );

/** Returns the same limits for the fields of each axis. */
const axes = (names: string, limit: FieldLimit, z: FieldLimit = limit): ConfigLimits =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .flatMap((name) => [
        [`${name}_x`, limit],
        [`${name}_y`, limit],
        [`${name}_z`, z],
      ]),
  );

const pin: FieldLimit = { range: [0, 69], default: 0 };
const guards = Object.fromEntries(
  [1, 2, 3, 4, 5].flatMap((number) => [
    [`pin_guard_${number}_active_state`, flag(1)],
    [`pin_guard_${number}_pin_nr`, pin],
    [`pin_guard_${number}_time_out`, value(60)],
  ]),
);

/** Boards of robots. [decision 7] */
export const boards = [
  ...['arduino', 'farmduino', 'farmduino_k14', 'farmduino_k15', 'farmduino_k16', 'farmduino_k17', 'farmduino_k18'],
  ...['farmduino_k19', 'express_k10', 'express_k11', 'express_k12', 'none'],
];

/** Limits of the configs, by the last part of their paths. */
export const configLimits: Readonly<Record<string, ConfigLimits>> = {
  fbos_config: {
    ...all('disable_factory_reset os_auto_update', value(true)),
    ...all(
      `firmware_input_log firmware_output_log sequence_body_log sequence_complete_log sequence_init_log
      arduino_debug_messages firmware_debug_log`,
      value(false),
    ),
    network_not_found_timer: { nullable: true },
    firmware_hardware: { nullable: true, choices: boards },
    firmware_path: { nullable: true, max: 10_000 },
    update_channel: { choices: ['stable', 'beta', 'alpha'], default: 'stable' },
    boot_sequence_id: { nullable: true },
    safe_height: value(0),
    soil_height: value(-500),
    gantry_height: value(0),
    default_axis_order: { max: 10, default: 'xy,z;high' },
  },
  firmware_config: {
    ...axes('encoder_enabled movement_stop_at_home movement_stop_at_max movement_axis_stealth', flag(1)),
    ...axes(
      `encoder_invert encoder_type encoder_use_for_pos movement_enable_endpoints movement_home_at_boot
      movement_invert_endpoints movement_invert_2_endpoints movement_invert_motor`,
      flag(0),
    ),
    ...axes('movement_home_up movement_keep_active', flag(0), flag(1)),
    ...axes('encoder_missed_steps_decay encoder_missed_steps_max', value(5)),
    ...axes('encoder_scaling', value(5556)),
    ...axes('movement_axis_nr_steps', value(0)),
    ...axes('movement_home_spd movement_max_spd', value(400)),
    ...axes('movement_min_spd', value(50)),
    ...axes('movement_step_per_mm', value(5), value(25)),
    ...axes('movement_steps_acc_dec', value(300)),
    ...axes('movement_timeout', value(180)),
    ...axes('movement_microsteps movement_calibration_retry', value(1)),
    ...axes('movement_calibration_retry_total', value(10)),
    ...axes('movement_calibration_deadzone', value(250)),
    ...axes('movement_motor_current', { range: [0, 1823], default: 1823 }),
    ...axes('movement_stall_sensitivity', { range: [-63, 63], default: 63 }),
    ...all('movement_secondary_motor_x movement_secondary_motor_invert_x param_use_eeprom', flag(1)),
    param_e_stop_on_mov_err: flag(0),
    ...all('param_config_ok param_test', value(0)),
    param_mov_nr_retry: value(3),
    param_version: value(1),
    ...guards,
    movement_min_spd_z2: value(50),
    movement_max_spd_z2: value(400),
    movement_steps_acc_dec_z2: value(300),
    ...all('pin_report_1_pin_nr pin_report_2_pin_nr', pin),
  },
  web_app_config: {
    ...all(
      `display_trail legend_menu_open show_spread show_farmbot show_plants show_points show_images home_button_homing
      disable_emergency_unlock_confirmation confirm_plant_deletion confirm_sequence_deletion show_weeds crop_images
      show_camera_view_area highlight_modified_settings clip_image_layer enable_3d_electronics_box_top three_d_garden
      dark_mode show_scene_objects show_controls_overlay`,
      value(true),
    ),
    ...all(
      `confirm_step_deletion disable_animations disable_i18n dynamic_map encoder_figure hide_webcam_widget raw_encoders
      scaled_encoders x_axis_inverted y_axis_inverted z_axis_inverted stub_config show_first_party_farmware
      enable_browser_speak discard_unsaved xy_swap show_motor_plot show_historic_points show_sensor_readings
      show_dev_menu time_format_24_hour show_pins expand_step_options hide_sensors discard_unsaved_sequences
      user_interface_read_only_mode show_zones display_map_missed_steps time_format_seconds view_celery_script
      show_advanced_settings show_soil_interpolation_map show_moisture_interpolation_map
      show_uncropped_camera_view_area show_missed_step_plot top_down_view`,
      value(false),
    ),
    bot_origin_quadrant: { range: [1, 4], default: 2 },
    zoom_level: { range: [-9, 3], default: -2 },
    ...all('success_log busy_log warn_log error_log info_log fun_log debug_log assertion_log', {
      range: [0, 3],
      default: 1,
    }),
    beep_verbosity: { range: [0, 3], default: 0 },
    ...all('photo_filter_begin photo_filter_end', { nullable: true }),
    internal_use: { nullable: true, max: 100_000 },
    map_size_x: value(2900),
    map_size_y: value(1230),
    landing_page: { max: 100, default: 'plants' },
    go_button_axes: { choices: ['X', 'Y', 'Z', 'XY', 'XYZ'], default: 'XY' },
    default_plant_depth: value(5),
    viewpoint_heading: value(30),
  },
};
