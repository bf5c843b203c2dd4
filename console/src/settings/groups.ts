import type { GroupName } from '../data/setting-words-en.ts';

/** THE list of the groups of settings by parts, in their order, with the names that belong to each. */
const patterns: Readonly<Record<string, readonly (readonly [group: GroupName, names: RegExp])[]>> = {
  garden: [
    ['garden', /^(name|timezone|indoor)$/],
    ['place', /^(lat|lng)$/],
    ['robot', /^(mounted_tool_id|ota_hour|rpi|fb_order_number)$/],
  ],
  os: [
    ['heights', /_height$|^default_axis_order$/],
    ['start', /^(boot_sequence_id|network_not_found_timer|disable_factory_reset)$/],
    ['updates', /update/],
    ['robotLogs', /_log$|_messages$/],
    ['electronics', /^firmware_(hardware|path)$/],
  ],
  firmware: [
    ['length', /^movement_(axis_nr_steps|stop_at|home_up|step_per_mm)/],
    ['speed', /^movement_((max|min)_spd|steps_acc_dec)/],
    ['home', /^movement_(home|calibration)_/],
    ['motors', /^movement_(secondary_motor|invert_motor|keep_active|microsteps|motor_current|axis_stealth)/],
    ['switches', /^movement_(enable|invert|invert_2)_endpoints/],
    ['encoders', /^encoder_|^movement_stall_sensitivity/],
    ['failures', /^movement_timeout|^param_(e_stop_on_mov_err|mov_nr_retry)$/],
    ['guards', /^pin_guard_/],
    ['reports', /^pin_report_/],
    ['parameters', /^param_/],
  ],
  map: [
    ['map', /^(map_size_|dynamic_map$|bot_origin_quadrant$|xy_swap$|default_plant_depth$)/],
    [
      'layers',
      /^(show_(spread|farmbot|plants|points|weeds|zones|sensor_readings|historic_points|.*interpolation_map)|display_trail)$/,
    ],
    ['photos', /image|^photo_|_camera_view_area$/],
    ['logs', /_log$|^beep_|_speak$/],
    ['controls', /_axis_inverted$|^(home_button_homing|go_button_axes|hide_sensors|hide_webcam_widget)$/],
    ['questions', /^(confirm|discard|disable_emergency)_/],
    ['threeD', /^(three_d_garden|enable_3d_.*|top_down_view|viewpoint_heading|show_(scene_objects|controls_overlay))$/],
    ['plots', /encoder|_plot$|missed_steps$/],
    ['display', /./],
  ],
};

/** Returns the group of a setting of a part. */
export const groupOf = (part: string, name: string): GroupName | undefined =>
  patterns[part]?.find(([, names]) => names.test(name))?.[0];

/** Returns the names of the groups of a part, in their order. */
export const groupsOf = (part: string): readonly GroupName[] => patterns[part]?.map(([group]) => group) ?? [];
