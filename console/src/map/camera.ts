/** How photos lie on the bed. Lengths are in mm. */
export interface Calibration {
  /** The size of a photo. */
  readonly width: number;
  readonly height: number;
  /** In degrees, clockwise on the screen. */
  readonly rotation: number;
  /** From the camera's position to the middle of its photos. */
  readonly offsetX: number;
  readonly offsetY: number;
  /** Whether the camera was calibrated; else the size is a frame around the place. */
  readonly isCalibrated: boolean;
}

/** The size of the frame of photos of a camera without calibration. */
const plainFrame = { width: 160, height: 120 } as const;
const prefix = 'CAMERA_CALIBRATION_';

/** Reads the values that the camera calibration stores in the settings of farmware, by their keys. */
export function calibrationOf(values: ReadonlyMap<string, unknown>): Calibration {
  const number = (name: string): number => {
    const value = Number(values.get(prefix + name) ?? 0);
    return Number.isFinite(value) ? value : 0;
  };
  const scale = number('coord_scale');
  const width = 2 * number('center_pixel_location_x') * scale;
  const height = 2 * number('center_pixel_location_y') * scale;
  const isCalibrated = width > 0 && height > 0;
  return {
    ...(isCalibrated ? { width, height } : plainFrame),
    rotation: number('total_rotation_angle'),
    offsetX: number('camera_offset_x'),
    offsetY: number('camera_offset_y'),
    isCalibrated,
  };
}
