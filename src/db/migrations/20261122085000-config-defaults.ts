import type { Migration } from '../migrator.ts';

/** The columns of each config that have a default, by its default in SQL. */
const defaults: Readonly<Record<string, readonly (readonly [value: string, columns: string])[]>> = {
  fbos_configs: [
    ['true', 'disable_factory_reset os_auto_update'],
    [
      'false',
      `firmware_input_log firmware_output_log sequence_body_log sequence_complete_log sequence_init_log
      arduino_debug_messages firmware_debug_log`,
    ],
    ["'stable'", 'update_channel'],
    ['0', 'safe_height gantry_height'],
    ['-500', 'soil_height'],
    ["'xy,z;high'", 'default_axis_order'],
  ],
  firmware_configs: [
    [
      '1',
      `encoder_enabled_x encoder_enabled_y encoder_enabled_z movement_home_up_z movement_keep_active_z
      movement_secondary_motor_invert_x movement_secondary_motor_x movement_stop_at_home_x
      movement_stop_at_home_y movement_stop_at_home_z movement_stop_at_max_x movement_stop_at_max_y
      movement_stop_at_max_z param_use_eeprom param_version pin_guard_1_active_state
      pin_guard_2_active_state pin_guard_3_active_state pin_guard_4_active_state pin_guard_5_active_state
      movement_microsteps_x movement_microsteps_y movement_microsteps_z movement_calibration_retry_x
      movement_calibration_retry_y movement_calibration_retry_z movement_axis_stealth_x
      movement_axis_stealth_y movement_axis_stealth_z`,
    ],
    [
      '0',
      `encoder_invert_x encoder_invert_y encoder_invert_z encoder_type_x encoder_type_y encoder_type_z
      encoder_use_for_pos_x encoder_use_for_pos_y encoder_use_for_pos_z movement_axis_nr_steps_x
      movement_axis_nr_steps_y movement_axis_nr_steps_z movement_enable_endpoints_x
      movement_enable_endpoints_y movement_enable_endpoints_z movement_home_at_boot_x
      movement_home_at_boot_y movement_home_at_boot_z movement_home_up_x movement_home_up_y
      movement_invert_endpoints_x movement_invert_endpoints_y movement_invert_endpoints_z
      movement_invert_motor_x movement_invert_motor_y movement_invert_motor_z movement_keep_active_x
      movement_keep_active_y param_config_ok param_e_stop_on_mov_err param_test pin_guard_1_pin_nr
      pin_guard_2_pin_nr pin_guard_3_pin_nr pin_guard_4_pin_nr pin_guard_5_pin_nr
      movement_invert_2_endpoints_x movement_invert_2_endpoints_y movement_invert_2_endpoints_z
      pin_report_1_pin_nr pin_report_2_pin_nr`,
    ],
    [
      '5',
      `encoder_missed_steps_decay_x encoder_missed_steps_decay_y encoder_missed_steps_decay_z
      encoder_missed_steps_max_x encoder_missed_steps_max_y encoder_missed_steps_max_z`,
    ],
    ['5556', 'encoder_scaling_x encoder_scaling_y encoder_scaling_z'],
    [
      '400',
      `movement_home_spd_x movement_home_spd_y movement_home_spd_z movement_max_spd_x movement_max_spd_y
      movement_max_spd_z movement_max_spd_z2`,
    ],
    [
      '50',
      `movement_min_spd_x movement_min_spd_y movement_min_spd_z movement_min_spd_z2
      movement_calibration_deadzone_x movement_calibration_deadzone_y`,
    ],
    ['5', 'movement_step_per_mm_x movement_step_per_mm_y'],
    ['25', 'movement_step_per_mm_z'],
    ['300', 'movement_steps_acc_dec_x movement_steps_acc_dec_y movement_steps_acc_dec_z movement_steps_acc_dec_z2'],
    ['180', 'movement_timeout_x movement_timeout_y movement_timeout_z'],
    ['3', 'param_mov_nr_retry'],
    [
      '60',
      `pin_guard_1_time_out pin_guard_2_time_out pin_guard_3_time_out pin_guard_4_time_out
      pin_guard_5_time_out`,
    ],
    ['1823', 'movement_motor_current_x movement_motor_current_y movement_motor_current_z'],
    ['63', 'movement_stall_sensitivity_x movement_stall_sensitivity_y movement_stall_sensitivity_z'],
    ['250', 'movement_calibration_deadzone_z'],
    [
      '10',
      `movement_calibration_retry_total_x movement_calibration_retry_total_y
      movement_calibration_retry_total_z`,
    ],
  ],
  web_app_configs: [
    [
      'false',
      `confirm_step_deletion disable_animations disable_i18n dynamic_map encoder_figure hide_webcam_widget
      raw_encoders scaled_encoders x_axis_inverted y_axis_inverted z_axis_inverted stub_config
      show_first_party_farmware enable_browser_speak discard_unsaved xy_swap show_motor_plot
      show_historic_points show_sensor_readings show_dev_menu time_format_24_hour show_pins
      expand_step_options hide_sensors discard_unsaved_sequences user_interface_read_only_mode show_zones
      display_map_missed_steps time_format_seconds view_celery_script show_advanced_settings
      show_soil_interpolation_map show_moisture_interpolation_map show_uncropped_camera_view_area
      show_missed_step_plot top_down_view`,
    ],
    [
      'true',
      `display_trail legend_menu_open show_spread show_farmbot show_plants show_points show_images
      home_button_homing disable_emergency_unlock_confirmation confirm_plant_deletion
      confirm_sequence_deletion show_weeds crop_images show_camera_view_area highlight_modified_settings
      clip_image_layer enable_3d_electronics_box_top three_d_garden dark_mode show_scene_objects
      show_controls_overlay`,
    ],
    ['2', 'bot_origin_quadrant'],
    ['-2', 'zoom_level'],
    ['1', 'success_log busy_log warn_log error_log info_log fun_log debug_log assertion_log'],
    ['2900', 'map_size_x'],
    ['1230', 'map_size_y'],
    ['0', 'beep_verbosity'],
    ["'plants'", 'landing_page'],
    ['5', 'default_plant_depth'],
    ['30', 'viewpoint_heading'],
  ],
};

const timePattern = 'dddd-dd-ddTdd:dd:dd.dddZ'.replaceAll('d', '[0-9]');

/**
 * Settings that have a default cannot be null. Rows with a null get the default and a new `updated_at`, so that robots read them again. Photo
 * filters that are not times become null. [decision 54, 58]
 */
export const configDefaults: Migration = {
  number: 20261122085000,
  name: 'config defaults',
  change(schema) {
    for (const name of ['photo_filter_begin', 'photo_filter_end'])
      schema.execute({
        sqlite: `update web_app_configs set ${name} = null where ${name} not glob '${timePattern}'`,
        postgres: `update web_app_configs set ${name} = null where ${name} !~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'`,
      });
    for (const [table, values] of Object.entries(defaults)) {
      const columns = values.flatMap(([value, names]) => names.split(/\s+/).map((name) => [name, value] as const));
      const repairs = columns.map(([name, value]) => `${name} = coalesce(${name}, ${value})`).join(', ');
      const isIncomplete = columns.map(([name]) => `${name} is null`).join(' or ');
      const repair = (now: string) => `update ${table} set ${repairs}, updated_at = ${now} where ${isIncomplete}`;
      schema.execute({ sqlite: repair(`strftime('%Y-%m-%dT%H:%M:%fZ')`), postgres: repair('now()') });
      schema.setNullable(
        table,
        columns.map(([name]) => name),
        false,
      );
    }
  },
};
