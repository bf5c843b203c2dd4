import type { Area, Bed } from '../data/bed.ts';
import { cameraKey } from '../data/camera-settings.ts';

/** The camera's calibration. Lengths are in mm. */
export interface Calibration {
  /** The size of the area that an unturned photo shows; null: the camera was not calibrated. */
  readonly size: readonly [width: number, height: number] | null;
  /** How far a photo is turned until its edges follow the axes, in degrees: see {@link quartersOf} for the direction. */
  readonly rotation: number;
  /** From the robot's position to the middle of its photos. */
  readonly offset: readonly [x: number, y: number];
  /** Whether x grows to the right in a turned photo (1), or to the left (-1), and y downward (1) or upward (-1). */
  readonly directions: readonly [x: 1 | -1, y: 1 | -1];
  /** The height of the camera at the calibration; null: not known. */
  readonly z: number | null;
}

/** The position and the method of a photo: the `meta` of an image. */
export interface Shot {
  readonly x: number;
  readonly y: number;
  /** Without it, the height of the calibration: robots take their photos there. */
  readonly z?: number | null | undefined;
  readonly name?: string | undefined;
}

/** The size of a rectangle around 0, 0, in mm. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the place and the size of a rectangle around 0, 0. */
export const around = ({ width, height }: Size): Area => ({ x: -width / 2, y: -height / 2, width, height });

/** The position of a photo on the bed. */
export interface Footprint {
  /** From edges along the axes of the bed to the screen. */
  readonly transform: string;
  /** The photo, which is turned by an angle in degrees before. */
  readonly photo: Size;
  readonly turn: number;
  /** The largest shown rectangle along the axes. */
  readonly cut: Size;
  /** Whether size and direction are known; else it only marks the place. */
  readonly isToScale: boolean;
}

/** The size of the frame of photos whose size is not known. */
const plainFrame: Size = { width: 160, height: 120 };
/** Heights that differ by less, in mm, count as one, as in the vendor's app. */
const sameHeight = 5;

/** Robots turn photos themselves once the camera is calibrated, and name them so, as farmware does that draws into them. */
const isTurned = (name = ''): boolean => /rotated|marked|calibration_result/.test(name);

/**
 * The number of quarter turns in a rotation. Robots turn photos clockwise by the nearest multiple of 90 degrees, the smaller of
 * two, then counterclockwise by the rest; the calibration's directions apply to photos turned so.
 */
const quartersOf = (rotation: number): number => Math.ceil(Math.abs(rotation) / 90 - 0.5);

/** Returns the largest rectangle with upright edges in one that is turned by an angle of 0 to 45 degrees. */
function largestUprightIn({ width, height }: Size, degrees: number): Size {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  // A narrow one is touched at its long edges only.
  if (short <= long * Math.sin(2 * angle)) {
    const [longer, shorter] = [short / 2 / sin, short / 2 / cos];
    return width === long ? { width: longer, height: shorter } : { width: shorter, height: longer };
  }
  const both = Math.cos(2 * angle);
  return { width: (width * cos - height * sin) / both, height: (height * cos - width * sin) / both };
}

/** Reads the values that the camera calibration stores in the settings of farmware, by their keys. */
export function calibrationOf(values: ReadonlyMap<string, unknown>): Calibration {
  const numberOrNull = (name: string): number | null => {
    const text = String(values.get(cameraKey(name)) ?? '').trim();
    return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const number = (name: string): number => numberOrNull(name) ?? 0;
  const scale = number('coord_scale');
  const width = 2 * number('center_pixel_location_x') * scale;
  const height = 2 * number('center_pixel_location_y') * scale;
  // The corner of a photo that is nearest to the robot's origin, such as TOP_LEFT, with or without quotes.
  const corner = String(values.get(cameraKey('image_bot_origin_location')) ?? '');
  return {
    size: width > 0 && height > 0 ? [width, height] : null,
    rotation: number('total_rotation_angle'),
    offset: [number('camera_offset_x'), number('camera_offset_y')],
    directions: [corner.includes('RIGHT') ? -1 : 1, corner.includes('BOTTOM') ? -1 : 1],
    z: numberOrNull('camera_z'),
  };
}

/** A photo on the garden's axes, in mm: its middle, and what a {@link Footprint} has of it. */
interface Laid extends Pick<Footprint, 'photo' | 'turn' | 'cut' | 'isToScale'> {
  readonly middle: readonly [x: number, y: number];
}

/** Lays a photo by its position: to scale if the camera was calibrated at its height, else as a frame at its place. */
function laid(calibration: Calibration, { x, y, z, name }: Shot): Laid {
  const { size, rotation, offset } = calibration;
  const isToScale = size !== null && (z == null || calibration.z === null || Math.abs(z - calibration.z) < sameHeight);
  if (!isToScale) return { middle: [x, y], photo: plainFrame, turn: 0, cut: plainFrame, isToScale };
  const quarters = quartersOf(rotation);
  const isQuarter = quarters % 2 === 1;
  const [width, height] = size;
  const upright = isQuarter ? { width: height, height: width } : { width, height };
  return {
    middle: [x + offset[0], y + offset[1]],
    photo: isTurned(name) ? upright : { width, height },
    // A quarter clockwise is half a turn from a quarter counterclockwise.
    turn: isTurned(name) ? 0 : (isQuarter ? 180 : 0) - rotation,
    cut: largestUprightIn(upright, Math.abs(Math.abs(rotation) - 90 * quarters)),
    isToScale,
  };
}

/** Lays a photo on the bed. */
export function footprintOf(calibration: Calibration, bed: Bed, shot: Shot): Footprint {
  const { middle, ...footprint } = laid(calibration, shot);
  const { directions } = calibration;
  const [left, top] = bed.toScreen(...middle);
  if (!footprint.isToScale) return { ...footprint, transform: `translate(${left} ${top})` };
  // The vectors on the screen of a mm to the right, and one downward, in a turned photo.
  const right = bed.toScreen(middle[0] + directions[0], middle[1]);
  const down = bed.toScreen(middle[0], middle[1] + directions[1]);
  const matrix = [right[0] - left, right[1] - top, down[0] - left, down[1] - top, left, top].join(' ');
  return { ...footprint, transform: `matrix(${matrix})` };
}

/** A spot of the garden in a photo: how far from its left and upper edge, as shares of its size, and the turn that lays the photo on the garden's axes, in degrees clockwise. */
interface SpotInPhoto {
  readonly across: number;
  readonly down: number;
  readonly turn: number;
}

/** Returns where a spot of the garden is in a photo; its middle, if the photo only marks its place. */
export function spotIn(calibration: Calibration, shot: Shot, x: number, y: number): SpotInPhoto {
  const { middle, photo, turn, isToScale } = laid(calibration, shot);
  if (!isToScale) return { across: 0.5, down: 0.5, turn: 0 };
  const [across, down] = turnedBack(calibration, middle, turn, x, y);
  return { across: 0.5 + across / photo.width, down: 0.5 + down / photo.height, turn };
}

/** Returns how far a spot is from the middle of a photo along its edges, in mm. */
function turnedBack(
  { directions }: Calibration,
  middle: Laid['middle'],
  turn: number,
  x: number,
  y: number,
): readonly [across: number, down: number] {
  const across = (x - middle[0]) * directions[0];
  const down = (y - middle[1]) * directions[1];
  const angle = (-turn * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return [across * cos - down * sin, across * sin + down * cos];
}

/** Whether a spot of the garden is in a photo, all of it or as it is cut; of one that only marks its place, whether it is in its frame. */
export function isInPhoto(calibration: Calibration, shot: Shot, x: number, y: number, isCut: boolean): boolean {
  const { middle, photo, turn, cut } = laid(calibration, shot);
  const [across, down] = turnedBack(calibration, middle, isCut ? 0 : turn, x, y);
  const { width, height } = isCut ? cut : photo;
  return Math.abs(across) <= width / 2 && Math.abs(down) <= height / 2;
}
