import type { components } from '../data/generated/api.ts';

type WebAppConfig = components['schemas']['WebAppConfig'];

/** THE list of layers of the map, from the lowest, by the settings that switch them; the vendor's app follows the same ones. */
export const layers = [
  'show_images',
  'show_zones',
  'show_soil_interpolation_map',
  'show_moisture_interpolation_map',
  'show_spread',
  'show_points',
  'show_weeds',
  'show_plants',
  'show_sensor_readings',
  'show_farmbot',
  'display_trail',
  'show_camera_view_area',
] as const satisfies readonly (keyof WebAppConfig)[];

export type Layer = (typeof layers)[number];
