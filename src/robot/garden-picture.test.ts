import sharp from 'sharp';
import { expect, it } from 'vitest';
import { drawGarden } from './garden-picture.ts';

it('shows the points around the position', async () => {
  const points = [
    { pointer_type: 'Plant', x: 1000, y: 500, radius: 60 },
    { pointer_type: 'Weed', x: 700, y: 500, radius: 1e9, name: 'beyond' },
    { pointer_type: 'Plant', x: 'nowhere', y: null },
  ];
  const { data, info } = await sharp(await drawGarden({ x: 1000, y: 500, z: 0 }, points.slice(0, 1)))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([640, 480]);
  const isGreen = (x: number, y: number) => {
    const [red = 0, green = 0] = data.subarray((y * 640 + x) * 3);
    return green > red;
  };
  // A pixel is a millimeter.
  expect([isGreen(320, 240), isGreen(370, 240), isGreen(390, 240), isGreen(320, 310)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect((await drawGarden({ x: 1000, y: 500, z: 0 }, points)).length).toBeGreaterThan(1000);
});
