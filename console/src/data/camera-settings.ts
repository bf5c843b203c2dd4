/** A setting of the camera's calibration. Robots, and the vendor's app, keep it as an env of farmware. */
export interface CameraSetting {
  readonly name: string;
  /** What robots take without it: a number, or one of `choices`. */
  readonly fallback: number | string;
  readonly unit?: 'mm' | 'mm/px' | '°';
  readonly choices?: readonly string[];
  readonly range?: readonly [min: number, max: number];
}

const prefix = 'CAMERA_CALIBRATION_';

/** Returns the key of the env with a setting. */
export const cameraKey = (name: string): string => prefix + name;

const byte = [0, 255] as const;
/** Hues of OpenCV. */
const hue = [0, 179] as const;

/** How a robot calibrates: the card in front of the camera, and the distance of its marks. */
const card = [
  { name: 'easy_calibration', fallback: 'TRUE', choices: ['TRUE', 'FALSE'] },
  { name: 'calibration_object_separation', fallback: 100, unit: 'mm', range: [1, 2000] },
  { name: 'calibration_along_axis', fallback: 'X', choices: ['X', 'Y'] },
] as const satisfies readonly CameraSetting[];

/** What the calibration finds, and where the camera is. */
const camera = [
  { name: 'camera_offset_x', fallback: 50, unit: 'mm' },
  { name: 'camera_offset_y', fallback: 100, unit: 'mm' },
  {
    name: 'image_bot_origin_location',
    fallback: 'BOTTOM_LEFT',
    choices: ['TOP_LEFT', 'TOP_RIGHT', 'BOTTOM_LEFT', 'BOTTOM_RIGHT'],
  },
  { name: 'coord_scale', fallback: 0, unit: 'mm/px', range: [0, 100] },
  { name: 'total_rotation_angle', fallback: 0, unit: '°', range: [-360, 360] },
] as const satisfies readonly CameraSetting[];

/** The colors of the marks, for cards without a grid of dots. */
const colors = [
  { name: 'invert_hue_selection', fallback: 'TRUE', choices: ['TRUE', 'FALSE'] },
  { name: 'H_LO', fallback: 20, range: hue },
  { name: 'H_HI', fallback: 160, range: hue },
  { name: 'S_LO', fallback: 100, range: byte },
  { name: 'S_HI', fallback: 255, range: byte },
  { name: 'V_LO', fallback: 100, range: byte },
  { name: 'V_HI', fallback: 255, range: byte },
  { name: 'blur', fallback: 5, range: [1, 99] },
  { name: 'morph', fallback: 5, range: [1, 99] },
  { name: 'iteration', fallback: 1, range: [1, 99] },
] as const satisfies readonly CameraSetting[];

/** THE list of the settings, by groups of the form. */
export const cameraSettings = { card, camera, colors } as const;
export type CameraSettingName = (typeof cameraSettings)[keyof typeof cameraSettings][number]['name'];

/** An env of farmware. */
export interface Env {
  readonly id: number;
  readonly key: string;
  readonly value: unknown;
}

/** Robots and the vendor's app write words as JSON, with quotes. */
const plain = (value: unknown): string =>
  String(value ?? '')
    .replaceAll('"', '')
    .trim();

/** Returns the value of a setting: of its env, or what robots take without one. */
export function cameraValue({ name, fallback, choices }: CameraSetting, envs: readonly Env[]): number | string {
  const text = plain(envs.find(({ key }) => key === cameraKey(name))?.value);
  if (choices) return choices.find((choice) => choice === text.toUpperCase()) ?? fallback;
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : fallback;
}
