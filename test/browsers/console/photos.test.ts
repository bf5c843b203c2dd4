import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../support/json.ts';
import { processedPhotoUrl, uploadPhoto } from '../../support/photo-upload.ts';
import { picture } from '../../support/pictures.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, seedGarden, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describe('photos of the console', () => {
  const server = consoleServer();

  it('shows a photo as soon as the robot took it, full screen, and deletes it after a question', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    for (const { id } of (await ada.call('GET', '/api/images')) as { id: number }[])
      await ada.call('DELETE', `/api/images/${id}`);
    await expect.poll(() => ada.call('GET', '/api/images')).toEqual([]);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/photos', { viewport: phone });
    await page.getByText('No photos yet').waitFor();
    await page.getByRole('button', { name: 'Take a photo' }).click();
    const tile = page.getByRole('link', { name: /^Photo of .*, x \d+, y \d+, z -?\d+ mm$/ });
    await tile.waitFor();

    // Another one, which the console did not ask for.
    await ada.call('POST', '/api/commands', { program: { kind: 'take_photo', args: {} }, wait: 60 });
    await expect.poll(() => tile.count()).toBe(2);

    await tile.first().click();
    const viewer = page.getByRole('dialog', { name: /1 of 2/ });
    await viewer.getByRole('img', { name: /^Photo of/ }).waitFor();
    const title = viewer.getByRole('heading', { name: /\d:\d\d/ });
    expect(
      await title.evaluate((each: { scrollWidth: number; clientWidth: number }) => each.scrollWidth - each.clientWidth),
    ).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: /2 of 2/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Older photo' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Whole photo' }).isEnabled()).toBe(true);
    await page.keyboard.press('0');
    await expect.poll(() => page.getByRole('button', { name: 'Whole photo' }).isEnabled()).toBe(false);
    // Nothing covers the stop.
    await page.getByRole('button', { name: 'Emergency stop' }).click({ trial: true });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog', { name: 'Delete this photo?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: /1 of 1/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => tile.count()).toBe(1);
    await expect.poll(async () => ((await ada.call('GET', '/api/images')) as unknown[]).length).toBe(1);

    // Photos come and go with their files: the history offers no way back, and says so before it undoes an hour.
    await page.goto(`${server.base}/console/history`);
    await page
      .getByRole('link', { name: /^Added: photo/ })
      .first()
      .waitFor();
    await page
      .getByText(/^Background job \(processing of a photo\)/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /^Undo: .*photo/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo the last hour' }).click();
    await page.getByText('Photos that were taken in this hour are deleted with it').waitFor();
  });

  it('lie on the map in the size, direction and place of the calibration, or say that there is none', async () => {
    const ada = await gardener(server);
    // The origin is at the lower left: x to the right, y upward.
    const bed = { bot_origin_quadrant: 3, map_size_x: 2000, map_size_y: 1000 };
    await ada.call('PATCH', '/api/web_app_config', { ...bed, crop_images: false });
    for (const [name, x, y] of [
      ['Low', 300, 150],
      ['High', 1800, 850],
    ] as const)
      await ada.call('POST', '/api/points', { pointer_type: 'GenericPointer', name, x, y, z: 0, radius: 10 });
    // Red on the left, blue on the right.
    const taken = { x: 1000, y: 500, z: -2, name: '/tmp/images/1764000000' };
    const photo = await uploadPhoto(server.base, ada.token, await picture(640, 480), taken);
    await processedPhotoUrl(server.base, ada.token, photo);
    const page = await openConsole(open, server, ada, '/map?panel=layers');
    await page.getByText('The camera is not calibrated').waitFor();

    const settings = {
      coord_scale: '0.5',
      center_pixel_location_x: '320',
      center_pixel_location_y: '240',
      camera_z: '0',
      total_rotation_angle: '30',
      camera_offset_x: '50',
      camera_offset_y: '-20',
      image_bot_origin_location: '"BOTTOM_LEFT"',
    };
    for (const [key, value] of Object.entries(settings))
      await ada.call('POST', '/api/farmware_envs', { key: `CAMERA_CALIBRATION_${key}`, value });
    await page.getByText('The camera is not calibrated').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close' }).click();

    const middleOf = async (name: string): Promise<readonly [number, number]> => {
      const box = await page.getByRole('button', { name: new RegExp(`^${name}, point`) }).boundingBox();
      if (!box) throw new Error(`${name} is not shown`);
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    /** The colors of the map at places of the garden: red or blue of the photo, or neither. */
    const shownAt = async (places: readonly (readonly [number, number])[]): Promise<readonly string[]> => {
      const [low, high] = [await middleOf('Low'), await middleOf('High')];
      const { data, info } = await sharp(await page.screenshot())
        .raw()
        .toBuffer({ resolveWithObject: true });
      return places.map(([x, y]) => {
        const left = Math.round(low[0] + ((x - 300) / 1500) * (high[0] - low[0]));
        const top = Math.round(low[1] + ((y - 150) / 700) * (high[1] - low[1]));
        const [red = 0, , blue = 0] = data.subarray((top * info.width + left) * info.channels);
        return red > blue + 80 ? 'red' : blue > red + 80 ? 'blue' : 'soil';
      });
    };
    // 320 by 240 mm around (1050, 480), turned by 30 degrees counterclockwise: a mm to the right in the photo is
    // (0.866, 0.5) in the garden, one upward (-0.5, 0.866). So its corners are at (851, 504) and (971, 296) on the left,
    // (1129, 664) and (1249, 456) on the right, and the place 150 to the right and 110 upward at (1125, 650).
    const places = [
      ...([
        [1125, 650],
        [1235, 460],
        [1070, 495],
      ] as const),
      ...([
        [865, 500],
        [975, 310],
        [1030, 465],
      ] as const),
      ...([
        [1200, 590],
        [1170, 380],
        [900, 590],
        [880, 390],
      ] as const),
    ];
    await expect
      .poll(() => shownAt(places))
      .toEqual(['blue', 'blue', 'blue', 'red', 'red', 'red', 'soil', 'soil', 'soil', 'soil']);

    // Without a height, and half beside the bed: around (1950, 480).
    const edge = { x: 1900, y: 500, name: '/tmp/images/1764000001' };
    await processedPhotoUrl(
      server.base,
      ada.token,
      await uploadPhoto(server.base, ada.token, await picture(640, 480), edge),
    );
    const follow = async (config: Json): Promise<void> => {
      await ada.call('PATCH', '/api/web_app_config', config);
      // Changes of these settings are not announced.
      await page.reload();
    };
    // The rest along the axes is 240 by 138.6 mm: from (930, 411) to (1170, 549), and from (1830, 411).
    const cut = [...places.slice(0, 6), [935, 540], [1165, 420], [1050, 570], [1990, 480], [2040, 480]] as const;
    const left = ['soil', 'soil', 'blue', 'soil', 'soil', 'red'];
    await follow({ crop_images: true });
    await expect.poll(() => shownAt(cut)).toEqual([...left, 'red', 'blue', 'soil', 'blue', 'soil']);
    await follow({ clip_image_layer: false });
    await expect.poll(() => shownAt(cut)).toEqual([...left, 'red', 'blue', 'soil', 'blue', 'blue']);

    // The frame of the camera is cut as its photos are.
    await startRobot(ada);
    const frameOf = async (name: string): Promise<readonly [number, number]> => {
      const box = await page.getByRole('img', { name, exact: true }).boundingBox();
      if (!box) throw new Error(`${name} is not shown`);
      return [box.width, box.height];
    };
    const [width, height] = await frameOf('What the camera sees');
    expect(width / height).toBeCloseTo(240 / 138.6, 1);
    expect(await page.getByRole('img', { name: 'All that the camera sees' }).count()).toBe(0);
    await follow({ show_uncropped_camera_view_area: true });
    // 320 · 0.866 + 240 · 0.5 wide.
    const [wholeWidth] = await frameOf('All that the camera sees');
    expect(wholeWidth / (await frameOf('What the camera sees'))[0]).toBeCloseTo(397.1 / 240, 1);
    await follow({ crop_images: false });
    await expect.poll(async () => Math.round((await frameOf('What the camera sees'))[0])).toBe(Math.round(wholeWidth));
    expect(await page.getByRole('img', { name: 'All that the camera sees' }).count()).toBe(0);
  });
});
