import type { components } from './generated/api.ts';

type WebAppConfig = components['schemas']['WebAppConfig'];
type SettingName = keyof WebAppConfig;

/** THE list of layers of the map, from the lowest, by the settings that switch them. */
export const layers = [
  'show_images',
  'show_zones',
  'show_soil_interpolation_map',
  'show_moisture_interpolation_map',
  'show_spread',
  'show_points',
  'show_historic_points',
  'show_weeds',
  'show_plants',
  'show_sensor_readings',
  'show_farmbot',
  'display_trail',
  'show_camera_view_area',
] as const satisfies readonly SettingName[];

export type Layer = (typeof layers)[number];

/** THE list of the settings of the vendor's web app that the console follows. Its code cannot read others, and the settings page says so of them. */
export const followedSettings = [
  ...layers,
  'map_size_x',
  'map_size_y',
  'dynamic_map',
  'bot_origin_quadrant',
  'xy_swap',
  'photo_filter_begin',
  'photo_filter_end',
  'crop_images',
  'clip_image_layer',
  'show_uncropped_camera_view_area',
  'x_axis_inverted',
  'y_axis_inverted',
  'z_axis_inverted',
  'home_button_homing',
  'go_button_axes',
  'hide_sensors',
  'hide_webcam_widget',
  'disable_emergency_unlock_confirmation',
  'time_format_24_hour',
] as const satisfies readonly SettingName[];

/** The settings of the vendor's web app as the console reads them. */
export type FollowedSettings = Pick<WebAppConfig, (typeof followedSettings)[number]>;
