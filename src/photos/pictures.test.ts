import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bombJpeg, bombPng, picture, rotatedPicture, scriptedSvg } from '../../test/support/pictures.ts';
import type { ProcessedPicture } from './pictures.ts';
import { encodeJpeg, processPicture, UnreadablePictureError } from './pictures.ts';
import { placeholderPixels } from './placeholder.ts';

/** Names and sizes of the files, in pixels. */
async function sizes({ files }: ProcessedPicture): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, bytes] of files) {
    const { width, height } = await sharp(bytes).metadata();
    found[name] = `${width}x${height}`;
  }
  return found;
}

const fullOf = (kept: ProcessedPicture): Buffer => kept.files.get('full') ?? Buffer.alloc(0);

/** The beginning of a file. */
const partOf = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(share * bytes.length));

/** A PNG of one color. */
const thin = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'green' } })
    .png()
    .toBuffer();

describe('processPicture', () => {
  it('creates sizes that fit into their squares', async () => {
    expect(await sizes(await processPicture(await picture(1600, 1200)))).toEqual({
      full: '1600x1200',
      x1280: '1280x960',
      x640: '640x480',
      x320: '320x240',
      x160: '160x120',
      x80: '80x60',
    });
  });

  it('does not enlarge, and omits sizes that would not be smaller', async () => {
    expect(await sizes(await processPicture(await picture(320, 240)))).toEqual({
      full: '320x240',
      x160: '160x120',
      x80: '80x60',
    });
    expect(await sizes(await processPicture(await picture(16, 12)))).toEqual({ full: '16x12' });
    expect(await sizes(await processPicture(await picture(3, 200)))).toEqual({
      full: '3x200',
      x160: '2x160',
      x80: '1x80',
    });
  });

  it('rotates the picture and removes metadata', async () => {
    const kept = await processPicture(await rotatedPicture(400, 200));
    expect(await sizes(kept)).toEqual({ full: '200x400', x320: '160x320', x160: '80x160', x80: '40x80' });
    for (const bytes of kept.files.values()) {
      const { exif, icc, xmp, iptc, orientation } = await sharp(bytes).metadata();
      expect({ exif, icc, xmp, iptc, orientation: orientation ?? 1 }).toEqual({ orientation: 1 });
      expect(bytes.includes('Camera of the garden')).toBe(false);
    }
    // Rotated by 90 degrees, the left edge is on top.
    const { data, info } = await sharp(fullOf(kept)).raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => data[(y * info.width + x) * info.channels];
    expect(pixel(100, 20)).toBeGreaterThan(150);
    expect(pixel(100, 380)).toBeLessThan(80);
  });

  it('keeps a JPEG without metadata unchanged', async () => {
    const bytes = await picture(200, 100);
    expect(fullOf(await processPicture(bytes)).equals(bytes)).toBe(true);
    const commented = Buffer.concat([bytes.subarray(0, 2), Buffer.from([0xff, 0xfe, 0, 4, 65, 66]), bytes.subarray(2)]);
    expect(fullOf(await processPicture(commented)).equals(commented)).toBe(false);
    const padded = fullOf(await processPicture(Buffer.concat([bytes, Buffer.alloc(5000)])));
    expect(padded.length).toBeLessThan(bytes.length + 1000);
    // A processed photo that is imported again stays the same.
    expect(fullOf(await processPicture(padded)).equals(padded)).toBe(true);
  });

  it.each([
    ['jpeg', 'jpg', 'jpeg'],
    ['png', 'png', 'png'],
    ['gif', 'png', 'png'],
    ['webp', 'webp', 'webp'],
  ] as const)('accepts %s and stores it as %s', async (sent, type, format) => {
    const kept = await processPicture(await picture(100, 50, sent));
    expect(kept.type).toBe(type);
    for (const bytes of kept.files.values()) expect((await sharp(bytes).metadata()).format).toBe(format);
  });

  it('accepts grayscale, CMYK, 16 bits and transparency', async () => {
    const plain = sharp(await picture(200, 100));
    const unusual = [
      await plain.clone().greyscale().toColourspace('b-w').jpeg().toBuffer(),
      await plain.clone().toColourspace('cmyk').jpeg().toBuffer(),
      await plain.clone().toColourspace('rgb16').png().toBuffer(),
      await plain.clone().ensureAlpha(0.5).png().toBuffer(),
    ];
    for (const bytes of unusual)
      expect(await sizes(await processPicture(bytes))).toEqual({ full: '200x100', x160: '160x80', x80: '80x40' });
  });

  it.each([
    ['without its end', 1, false],
    ['of which an eighth is there', 1 / 8, false],
    ['of which half is there', 1 / 2, false],
    ['that is progressive and without its end', 1, true],
    ['that is progressive, of which a tenth is there: all of it, coarsely', 1 / 10, true],
  ])('accepts a JPEG %s, and completes it', async (_name, share, progressive) => {
    const whole = await sharp(await picture(1200, 900))
      .jpeg({ progressive })
      .toBuffer();
    const kept = await processPicture(partOf(whole.subarray(0, -2), share));
    expect(await sizes(kept)).toMatchObject({ full: '1200x900', x80: '80x60' });
    // It is complete now, and begins with the red of the picture.
    const { data } = await sharp(fullOf(kept), { failOn: 'error' }).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBeGreaterThan(150);
  });

  it('accepts a truncated JPEG that was taken at night', async () => {
    const black = { create: { width: 1200, height: 900, channels: 3 as const, background: 'black' } };
    const bytes = await sharp(black).jpeg().toBuffer();
    expect((await processPicture(bytes.subarray(0, -20))).type).toBe('jpg');
  });

  it('stops after the timeout', async () => {
    await expect(processPicture(await rotatedPicture(1000, 800), 1)).rejects.toThrow('It takes too long');
    expect(await sizes(await processPicture(await picture(100, 50), 60_000))).toMatchObject({ full: '100x50' });
  });

  it('removes data hidden in the JFIF segment', async () => {
    const bytes = await picture(200, 100);
    const hidden = Buffer.from([0xff, 0xe0, 0, 9, ...Buffer.from('a place')]);
    const kept = await processPicture(Buffer.concat([bytes.subarray(0, 2), hidden, bytes.subarray(2)]));
    expect(fullOf(kept).includes('a place')).toBe(false);
  });

  it.each([
    ['a PNG of more lines than a camera has', () => thin(1, 40_000)],
    ['a PNG of longer lines than a camera has', () => thin(40_000, 1)],
    ['a PNG of 2.5 gigapixels', () => bombPng(50_000, 50_000)],
    ['a JPEG of 2.5 gigapixels', () => bombJpeg(50_000, 50_000)],
    ['a JPEG of slightly more than 50 megapixels', () => bombJpeg(7072, 7072)],
    ['an SVG with a script', async () => scriptedSvg],
    ['a page', async () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    [
      'a TIFF',
      async () =>
        sharp(await picture(20, 20))
          .tiff()
          .toBuffer(),
    ],
    ['nothing', async () => Buffer.alloc(0)],
    ['the beginning of a PNG', async () => (await picture(200, 200, 'png')).subarray(0, 5000)],
    ['the beginning of a JPEG', async () => partOf(await picture(1200, 900), 0.06)],
    ['the head of a JPEG', async () => (await picture(1200, 900)).subarray(0, 300)],
    ['the beginning of a WebP', async () => (await picture(200, 200, 'webp')).subarray(0, 500)],
    ['three bytes of a JPEG', async () => Buffer.from([0xff, 0xd8, 0xff])],
    ['an SVG that begins like a GIF', async () => Buffer.concat([Buffer.from('GIF89a'), scriptedSvg])],
  ])('rejects %s', async (_name, make) => {
    await expect(processPicture(await make())).rejects.toBeInstanceOf(UnreadablePictureError);
  });

  it('works after a failure, and concurrently', async () => {
    const bytes = await picture(100, 50);
    const results = await Promise.allSettled(
      [bytes, scriptedSvg, bytes, bytes.subarray(0, 300), bytes].map((one) => processPicture(one)),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('does not block the event loop', async () => {
    const bytes = await rotatedPicture(3000, 2000);
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const began = last;
    await processPicture(bytes);
    clearInterval(timer);
    expect(longest).toBeLessThan((performance.now() - began) / 2);
  });
});

it('the placeholder is a small JPEG', async () => {
  const bytes = await encodeJpeg(placeholderPixels([]));
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 480 });
  expect(bytes.length).toBeLessThan(30_000);
});
