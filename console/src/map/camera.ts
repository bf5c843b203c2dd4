import type { Bed } from '../data/bed.ts';

/** What the calibration of the camera says. Lengths are in mm. */
export interface Calibration {
  /** The size of what an unturned photo shows; null: the camera was not calibrated. */
  readonly size: readonly [width: number, height: number] | null;
  /** How far a photo is turned until its edges follow the axes, in degrees: see {@link isQuarterTurned} for the direction. */
  readonly rotation: number;
  /** From the robot's position to the middle of its photos. */
  readonly offset: readonly [x: number, y: number];
  /** Whether x grows to the right in a turned photo (1), or to the left (-1), and y downward (1) or upward (-1). */
  readonly directions: readonly [x: 1 | -1, y: 1 | -1];
  /** The height of the camera at the calibration; null: not known. */
  readonly z: number | null;
}

/** Where and how a photo was taken: the `meta` of an image. */
export interface Shot {
  readonly x: number;
  readonly y: number;
  readonly z?: number | undefined;
  readonly name?: string | undefined;
}

/** How a photo lies on the bed: a rectangle around 0, 0, and its transformation to the screen, in mm. */
export interface Footprint {
  readonly width: number;
  readonly height: number;
  readonly transform: string;
  /** Whether size and direction are those of what it shows; else it only marks the place. */
  readonly isToScale: boolean;
}

/** The size of the frame of photos whose size is not known. */
const plainFrame = [160, 120] as const;
/** Heights that differ by less, in mm, count as one, as in the vendor's app. */
const sameHeight = 5;
const prefix = 'CAMERA_CALIBRATION_';

/** Robots turn photos themselves once the camera is calibrated, and name them so, as farmware does that draws into them. */
const isTurned = (name = ''): boolean => /rotated|marked|calibration_result/.test(name);

/**
 * Whether a rotation includes an odd number of quarter turns. Robots turn photos clockwise by the nearest multiple of 90
 * degrees, the smaller of two, then counterclockwise by the rest; the calibration's directions are those of photos turned so.
 */
const isQuarterTurned = (rotation: number): boolean => Math.ceil(Math.abs(rotation) / 90 - 0.5) % 2 === 1;

/** Reads the values that the camera calibration stores in the settings of farmware, by their keys. */
export function calibrationOf(values: ReadonlyMap<string, unknown>): Calibration {
  const numberOrNull = (name: string): number | null => {
    const text = String(values.get(prefix + name) ?? '').trim();
    return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const number = (name: string): number => numberOrNull(name) ?? 0;
  const scale = number('coord_scale');
  const width = 2 * number('center_pixel_location_x') * scale;
  const height = 2 * number('center_pixel_location_y') * scale;
  // The corner of a photo that is nearest to the robot's origin, such as TOP_LEFT, with or without quotes.
  const corner = String(values.get(`${prefix}image_bot_origin_location`) ?? '');
  return {
    size: width > 0 && height > 0 ? [width, height] : null,
    rotation: number('total_rotation_angle'),
    offset: [number('camera_offset_x'), number('camera_offset_y')],
    directions: [corner.includes('RIGHT') ? -1 : 1, corner.includes('BOTTOM') ? -1 : 1],
    z: numberOrNull('camera_z'),
  };
}

/** Lays a photo on the bed: to scale if the camera was calibrated at its height, else as a frame at its place. */
export function footprintOf(calibration: Calibration, bed: Bed, { x, y, z, name }: Shot): Footprint {
  const { size, rotation, offset, directions } = calibration;
  const isToScale =
    size !== null && (z === undefined || calibration.z === null || Math.abs(z - calibration.z) < sameHeight);
  if (!isToScale) {
    const [width, height] = plainFrame;
    return { width, height, transform: `translate(${bed.toScreen(x, y).join(' ')})`, isToScale };
  }
  const middle = [x + offset[0], y + offset[1]] as const;
  const [left, top] = bed.toScreen(...middle);
  // What a mm to the right, and one downward, in a turned photo is on the screen.
  const right = bed.toScreen(middle[0] + directions[0], middle[1]);
  const down = bed.toScreen(middle[0], middle[1] + directions[1]);
  const matrix = [right[0] - left, right[1] - top, down[0] - left, down[1] - top, left, top].join(' ');
  const isQuarter = isQuarterTurned(rotation);
  const [width, height] = isTurned(name) && isQuarter ? [size[1], size[0]] : size;
  // A quarter clockwise is half a turn from a quarter counterclockwise.
  const turn = isTurned(name) ? 0 : (isQuarter ? 180 : 0) - rotation;
  return { width, height, transform: `matrix(${matrix}) rotate(${turn})`, isToScale };
}
