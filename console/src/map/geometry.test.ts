import { expect, it } from 'vitest';
import { areaOf, bedOf, turned } from '../data/bed.ts';
import { bedSizeOf } from '../data/bed-size.ts';
import { type Calibration, calibrationOf, footprintOf, isInPhoto, spotIn } from './camera.ts';
import { coloredCells } from './measurements.ts';
import { initialsOf, neighbor } from './points.ts';
import { spreadOf } from './spread.ts';
import { settledPlace } from './viewport.ts';

const config = { map_size_x: 3000, map_size_y: 1200, bot_origin_quadrant: 2, xy_swap: false };

it('lays the bed by the corner of its origin and its axes', () => {
  expect(bedOf(config).toScreen(100, 200)).toEqual([100, 200]);
  expect(bedOf({ ...config, bot_origin_quadrant: 1 }).toScreen(100, 200)).toEqual([2900, 200]);
  expect(bedOf({ ...config, bot_origin_quadrant: 3 }).toScreen(100, 200)).toEqual([100, 1000]);
  const swapped = bedOf({ ...config, bot_origin_quadrant: 4, xy_swap: true });
  expect([swapped.width, swapped.height]).toEqual([1200, 3000]);
  expect(swapped.toScreen(100, 200)).toEqual([1000, 2900]);
  expect(swapped.toGarden(1000, 2900)).toEqual([100, 200]);
  expect(areaOf(swapped, [0, 0], [100, 200])).toEqual({ x: 1000, y: 2900, width: 200, height: 100 });
});

it('turns the bed by a quarter, without a mirror', () => {
  for (const quadrant of [1, 2, 3, 4]) {
    const bed = bedOf({ ...config, bot_origin_quadrant: quadrant });
    const upright = turned(bed);
    expect([upright.width, upright.height]).toEqual([1200, 3000]);
    expect(upright.toGarden(...upright.toScreen(100, 200))).toEqual([100, 200]);
    // The way from x to y turns in the same direction.
    const direction = ({ toScreen }: typeof bed): number => {
      const [[left, top], x, y] = [toScreen(0, 0), toScreen(1, 0), toScreen(0, 1)];
      return Math.sign((x[0] - left) * (y[1] - top) - (x[1] - top) * (y[0] - left));
    };
    expect(direction(upright)).toBe(direction(bed));
  }
  expect(turned(bedOf(config)).toScreen(100, 200)).toEqual([200, 2900]);
});

it('takes the size of a dynamic map from the axes that have a length', () => {
  const size = { map_size_x: 3000, map_size_y: 1200 };
  const axes = {
    movement_axis_nr_steps_x: 30_002,
    movement_step_per_mm_x: 5,
    movement_stop_at_max_x: 1,
    movement_axis_nr_steps_y: 14_000,
    movement_step_per_mm_y: 5,
    movement_stop_at_max_y: 1,
  };
  const dynamic = { ...size, dynamic_map: true };
  expect(bedSizeOf(dynamic, axes)).toEqual({ map_size_x: 6000, map_size_y: 2800 });
  expect(bedSizeOf({ ...size, dynamic_map: false }, axes)).toEqual(size);
  expect(bedSizeOf(dynamic, undefined)).toEqual(size);
  expect(bedSizeOf(dynamic, { ...axes, movement_stop_at_max_y: 0 })).toEqual({ map_size_x: 6000, map_size_y: 1200 });
  expect(bedSizeOf(dynamic, { ...axes, movement_axis_nr_steps_x: 0, movement_step_per_mm_y: 0 })).toEqual(size);
});

it('finds the next point in a direction', () => {
  const at = (left: number, top: number) => ({ left, top });
  const others = [at(0, 0), at(50, 10), at(40, 100), at(-5, -70)];
  expect(neighbor(at(0, 0), 'ArrowRight', others)).toEqual(at(50, 10));
  expect(neighbor(at(0, 0), 'ArrowDown', others)).toEqual(at(40, 100));
  expect(neighbor(at(0, 0), 'ArrowUp', others)).toEqual(at(-5, -70));
  expect(neighbor(at(0, 0), 'ArrowLeft', others)).toBeUndefined();
});

const calibration = {
  CAMERA_CALIBRATION_coord_scale: '0.5',
  CAMERA_CALIBRATION_center_pixel_location_x: '320',
  CAMERA_CALIBRATION_center_pixel_location_y: '240',
  CAMERA_CALIBRATION_total_rotation_angle: '-3.5',
  CAMERA_CALIBRATION_camera_offset_x: '70',
  CAMERA_CALIBRATION_camera_z: '0',
};
const read = (values: object) => calibrationOf(new Map(Object.entries(values)));
const laid = ({ transform, turn }: ReturnType<typeof footprintOf>): string => `${transform} rotate(${turn})`;

it('reads the camera calibration', () => {
  const values = { ...calibration, CAMERA_CALIBRATION_image_bot_origin_location: '"BOTTOM_LEFT"' };
  expect(read(values)).toEqual({
    size: [320, 240],
    rotation: -3.5,
    offset: [70, 0],
    directions: [1, -1],
    z: 0,
  });
  expect(read({ CAMERA_CALIBRATION_coord_scale: 'x' })).toEqual({
    size: null,
    rotation: 0,
    offset: [0, 0],
    directions: [1, 1],
    z: null,
  });
});

it('lays photos to scale, turned as the calibration says, whichever way the axes of the map go', () => {
  const quarter = read({ ...calibration, CAMERA_CALIBRATION_total_rotation_angle: '90' });
  const shot = { x: 500, y: 300, z: 3 };
  expect(footprintOf(quarter, bedOf(config), shot)).toEqual({
    transform: 'matrix(1 0 0 1 570 300)',
    photo: { width: 320, height: 240 },
    turn: 90,
    cut: { width: 240, height: 320 },
    isToScale: true,
  });
  // x to the left and y upward on the screen: 3000 - 570, 1200 - 300.
  expect(laid(footprintOf(quarter, bedOf({ ...config, bot_origin_quadrant: 4 }), shot))).toBe(
    'matrix(-1 0 0 -1 2430 900) rotate(90)',
  );
  // x downward, y to the right.
  expect(laid(footprintOf(quarter, bedOf({ ...config, xy_swap: true }), shot))).toBe(
    'matrix(0 1 1 0 300 570) rotate(90)',
  );
  // A photo that shows the origin at its lower right: not mirrored where the map has it there, too.
  const low = { ...quarter, directions: [-1, -1] } as const;
  expect(laid(footprintOf(low, bedOf({ ...config, bot_origin_quadrant: 4 }), shot))).toBe(
    'matrix(1 0 0 1 2430 900) rotate(90)',
  );
  // The robot has turned it already, which made it upright.
  expect(footprintOf(quarter, bedOf(config), { ...shot, name: '/tmp/images/rotated_1764' })).toMatchObject({
    transform: 'matrix(1 0 0 1 570 300)',
    photo: { width: 240, height: 320 },
    turn: 0,
    cut: { width: 240, height: 320 },
  });
});

it('lays photos in all positions of the origin, also with swapped axes', () => {
  const shot = { x: 500, y: 300, z: 0 };
  const matrixOf = (bot_origin_quadrant: number, xy_swap: boolean): string =>
    laid(footprintOf(read(calibration), bedOf({ ...config, bot_origin_quadrant, xy_swap }), shot));
  // The middle is at (570, 300): 2430 from the right and 900 from below, on a bed of 3000 by 1200.
  expect([1, 2, 3, 4].map((quadrant) => matrixOf(quadrant, false))).toEqual([
    'matrix(-1 0 0 1 2430 300) rotate(3.5)',
    'matrix(1 0 0 1 570 300) rotate(3.5)',
    'matrix(1 0 0 -1 570 900) rotate(3.5)',
    'matrix(-1 0 0 -1 2430 900) rotate(3.5)',
  ]);
  expect([1, 2, 3, 4].map((quadrant) => matrixOf(quadrant, true))).toEqual([
    'matrix(0 1 -1 0 900 570) rotate(3.5)',
    'matrix(0 1 1 0 300 570) rotate(3.5)',
    'matrix(0 -1 1 0 300 2430) rotate(3.5)',
    'matrix(0 -1 -1 0 900 2430) rotate(3.5)',
  ]);
});

it('turns photos as robots do: quarters clockwise, the rest counterclockwise', () => {
  // Clockwise in all. 60: a quarter, and 30 more since the rest is -30. -60: -90, and -30: 240.
  const turns = { 0: 0, 30: -30, 45: -45, 60: 120, 90: 90, 120: 60, 180: -180, 270: -90, '-60': 240, '-90': 270 };
  for (const [angle, turn] of Object.entries(turns)) {
    const values = { ...calibration, CAMERA_CALIBRATION_total_rotation_angle: angle };
    expect(footprintOf(read(values), bedOf(config), { x: 500, y: 300, z: 0 }).turn, angle).toBe(turn);
  }
  // At 45 degrees there is no quarter, so a photo that the robot turned is not upright.
  const half = read({ ...calibration, CAMERA_CALIBRATION_total_rotation_angle: '45' });
  const turned = { x: 500, y: 300, z: 0, name: '/tmp/images/rotated_1764' };
  expect(footprintOf(half, bedOf(config), turned)).toMatchObject({ photo: { width: 320, height: 240 } });
});

it('cuts turned photos to the largest rectangle along the axes', () => {
  const cutOf = (angle: number, name?: string): readonly [number, number] => {
    const values = { ...calibration, CAMERA_CALIBRATION_total_rotation_angle: String(angle) };
    const { width, height } = footprintOf(read(values), bedOf(config), { x: 500, y: 300, name }).cut;
    return [Math.round(width * 10) / 10, Math.round(height * 10) / 10];
  };
  // Of 320 by 240 mm. At 10 degrees: (320 · 0.9848 - 240 · 0.1736) / 0.9397 and (240 · 0.9848 - 320 · 0.1736) / 0.9397.
  expect(cutOf(0)).toEqual([320, 240]);
  expect(cutOf(10)).toEqual([291, 192.4]);
  expect(cutOf(-10)).toEqual([291, 192.4]);
  // It touches the long edges only: 120 / 0.5 by 120 / 0.866, and 120 / 0.7071 both ways.
  expect(cutOf(30)).toEqual([240, 138.6]);
  expect(cutOf(45)).toEqual([169.7, 169.7]);
  // A quarter and 10 degrees: 240 by 320 mm.
  expect(cutOf(100)).toEqual([192.4, 291]);
  expect(cutOf(60)).toEqual([138.6, 240]);
  expect(cutOf(90)).toEqual([240, 320]);
  // Photos that robots turned themselves have black corners.
  expect(cutOf(10, '/tmp/images/rotated_1764')).toEqual([291, 192.4]);
});

it('marks only the place of photos whose size is not known', () => {
  const frame = { width: 160, height: 120 };
  const mark = { transform: 'translate(500 300)', photo: frame, turn: 0, cut: frame, isToScale: false };
  expect(footprintOf(read({}), bedOf(config), { x: 500, y: 300, z: 0 })).toEqual(mark);
  expect(footprintOf(read(calibration), bedOf(config), { x: 500, y: 300, z: -5 })).toEqual(mark);
});

it('lays photos without a height as at the calibration’s, which is not 0 everywhere', () => {
  const high = read({ ...calibration, CAMERA_CALIBRATION_camera_z: '-400' });
  const isToScale = (z: number | null | undefined): boolean =>
    footprintOf(high, bedOf(config), { x: 500, y: 300, z }).isToScale;
  expect([undefined, null, -398, 0].map(isToScale)).toEqual([true, true, true, false]);
});

it('takes the spread of a plant from its curve, else from its crop, else from its radius', () => {
  const curve = { '1': 100, '11': 300 };
  const crop = {
    spread: 600,
    height: 500,
    days_to_germinate: { min: 4 },
    days_to_harvest: { min: 14, max: 20 },
  };
  const plant = { radius: 25, planted_at: '2026-05-01T00:00:00.000Z' };
  const later = (days: number): number => Date.parse(plant.planted_at) + days * 86_400_000;
  // Half of it after half of the time from its shoots to its harvest.
  expect([4, 9, 14, 90].map((days) => spreadOf(plant, undefined, crop, later(days)).now)).toEqual([0, 300, 600, 600]);
  expect(spreadOf(plant, undefined, crop, 0).grown).toBe(600);
  expect(spreadOf({ ...plant, planted_at: null }, undefined, crop, 0)).toEqual({ now: 50, grown: 600 });
  expect(spreadOf(plant, undefined, undefined, later(9))).toEqual({ now: 50, grown: null });
  expect(spreadOf(plant, curve, crop, later(5.3))).toEqual({ now: 200, grown: 300 });
  // A key that is no day counts nowhere.
  expect(spreadOf(plant, { ...curve, soon: 900 }, crop, later(5.3))).toEqual({ now: 200, grown: 300 });
  expect(spreadOf(plant, { soon: 900 }, undefined, later(5.3))).toEqual({ now: 50, grown: null });
});

it('colors the soil between measurements, and not far from them', () => {
  const cells = coloredCells(
    [
      { x: 25, y: 25, value: 10 },
      { x: 225, y: 25, value: 30 },
    ],
    250,
    50,
  );
  expect(cells.map(({ value }) => Math.round(value))).toEqual([10, 10, 20, 30, 30]);
  expect(cells[2]).toMatchObject({ x: 125, y: 25, level: 0.5 });
  // 2,900 mm are not a multiple of the squares: the last ones reach the edge.
  const edge = coloredCells([{ x: 2890, y: 1220, value: 1 }], 2900, 1230);
  expect(Math.max(...edge.map(({ x }) => x))).toBeGreaterThan(2870);
  expect(Math.max(...edge.map(({ y }) => y))).toBeGreaterThan(1200);
  expect(coloredCells([{ x: 0, y: 0, value: 1 }], 3000, 1200).every(({ x, y }) => Math.hypot(x, y) <= 600)).toBe(true);
});

it('abbreviates names', () => {
  expect(['Red Kuri squash', 'beet', '  ', '🌱 x', 'Tomato A'].map(initialsOf)).toEqual(['RK', 'B', '', '🌱X', 'TA']);
  // Words between others say little, in both languages.
  const tools = [
    'Aspirateur à graines',
    'Buse d’arrosage',
    'Capteur de l’humidité du sol',
    'Jar of seeds',
    'Bac à graines 2',
  ];
  expect(tools.map(initialsOf)).toEqual(['AG', 'BA', 'CH', 'JS', 'BG']);
  expect(initialsOf('à la')).toBe('ÀL');
});

it('finds the photos that show a spot, whichever way the camera is turned', () => {
  const straight: Calibration = { size: [200, 100], rotation: 0, offset: [10, 20], directions: [1, 1], z: null };
  const isSeen = (calibration: Calibration, across: number, down: number, isCut = false): boolean =>
    isInPhoto(calibration, { x: 100, y: 100 }, 110 + across, 120 + down, isCut);
  expect([isSeen(straight, 99, 49), isSeen(straight, 101, 0), isSeen(straight, 0, 51)]).toEqual([true, false, false]);
  const upright = { ...straight, rotation: 90 };
  expect([isSeen(upright, 49, 99), isSeen(upright, 51, 0)]).toEqual([true, false]);
  // 90 mm along its longer edge, and 90 mm across it.
  const turned = { ...straight, rotation: 45 };
  expect([isSeen(turned, 63, -63), isSeen(turned, 63, 63)]).toEqual([true, false]);
  expect([isSeen({ ...turned, directions: [-1, 1] }, 63, 63), isSeen(turned, 63, -63, true)]).toEqual([true, false]);
  // Where the spot is in the photo, as shares of its size.
  const shareIn = (calibration: Calibration, across: number, down: number) => {
    const spot = spotIn(calibration, { x: 100, y: 100 }, 110 + across, 120 + down);
    return [spot.across, spot.down].map((share) => Math.round(share * 100));
  };
  expect([shareIn(straight, 0, 0), shareIn(straight, 100, 25)]).toEqual([
    [50, 50],
    [100, 75],
  ]);
  expect(shareIn({ ...straight, directions: [-1, 1] }, 100, 0)).toEqual([0, 50]);
  expect(shareIn({ ...straight, size: null }, 30, 0)).toEqual([50, 50]);
  // Without a calibration it marks its place.
  const unknown = { ...straight, size: null };
  expect([isSeen(unknown, 60, 30), isSeen(unknown, 90, 0)]).toEqual([true, false]);
});

it('leaves no room beside a part of the bed while another part is hidden', () => {
  // Hidden above, with room below; and the other way around.
  expect(settledPlace(-300, 600, [80, 500])).toBe(-100);
  expect(settledPlace(200, 600, [80, 500])).toBe(80);
  expect(settledPlace(0, 600, [80, 500])).toBe(0);
  // One that fits stays where it is, or comes back.
  expect(settledPlace(150, 300, [80, 500])).toBe(150);
  expect(settledPlace(-20, 300, [80, 500])).toBe(80);
});
