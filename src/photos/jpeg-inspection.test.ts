import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bombJpeg, picture, rotatedPicture } from '../../test/support/pictures.ts';
import { inspectJpeg, JpegInspection } from './jpeg-inspection.ts';

const pick = ({ isJpeg, isComplete, width, height, hasExtras }: JpegInspection) => ({
  isJpeg,
  isComplete,
  width,
  height,
  hasExtras,
});

/** Inspects it in chunks of this many bytes. */
function inPieces(bytes: Buffer, size: number): JpegInspection {
  const inspection = new JpegInspection();
  for (let i = 0; i < bytes.length; i += size) inspection.write(bytes.subarray(i, i + size));
  return inspection;
}

describe('JpegInspection', () => {
  it('gives the same result for chunks of any size', async () => {
    const expected = { isJpeg: true, isComplete: true, width: 120, height: 80, hasExtras: true };
    const bytes = await rotatedPicture(120, 80);
    for (const size of [1, 2, 3, 7, 64, 1000, bytes.length])
      expect(pick(inPieces(bytes, size)), `${size}`).toEqual(expected);
  });

  it('finds the dimensions of baseline and progressive JPEGs', async () => {
    const plain = sharp(await picture(301, 77));
    for (const progressive of [false, true]) {
      const bytes = await plain.clone().jpeg({ progressive, quality: 30 }).toBuffer();
      expect(pick(inspectJpeg(bytes))).toEqual({
        isJpeg: true,
        isComplete: true,
        width: 301,
        height: 77,
        hasExtras: false,
      });
    }
  });

  it('recognizes a JPEG truncated anywhere', async () => {
    const bytes = await rotatedPicture(64, 64);
    for (let length = 0; length < bytes.length; length++)
      expect(inspectJpeg(bytes.subarray(0, length)).isComplete, `${length}`).toBe(false);
    expect(inspectJpeg(bytes).isComplete).toBe(true);
  });

  it('ignores an end marker inside a segment, as in thumbnails', async () => {
    const bytes = await picture(32, 32);
    const thumbnail = Buffer.from([0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9]);
    const joined = Buffer.concat([bytes.subarray(0, 2), thumbnail, bytes.subarray(2)]);
    expect(pick(inspectJpeg(joined))).toEqual({
      isJpeg: true,
      isComplete: true,
      width: 32,
      height: 32,
      hasExtras: true,
    });
    expect(inspectJpeg(joined.subarray(0, joined.length - 2)).isComplete).toBe(false);
  });

  it('finds comments and data behind the end', async () => {
    const bytes = await picture(32, 32);
    expect(inspectJpeg(bytes).hasExtras).toBe(false);
    expect(pick(inspectJpeg(Buffer.concat([bytes, Buffer.alloc(100)])))).toMatchObject({
      isComplete: true,
      hasExtras: true,
    });
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 65, 66]);
    expect(inspectJpeg(Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)])).hasExtras).toBe(true);
  });

  it('finds metadata other than density and color transform', async () => {
    const bytes = await picture(32, 32);
    const segment = (code: number, text: string) =>
      Buffer.concat([Buffer.from([0xff, code, 0, text.length + 2]), Buffer.from(text, 'latin1')]);
    /** The picture with further segments at its beginning. */
    const extras = (...segments: readonly Buffer[]): boolean => {
      const joined = Buffer.concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)]);
      const inspection = inspectJpeg(joined);
      expect(inspection.isComplete).toBe(true);
      expect(inPieces(joined, 1).hasExtras).toBe(inspection.hasExtras);
      return inspection.hasExtras;
    };
    const jfif = segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0');
    const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01');
    for (const bare of [[], [jfif], [adobe], [jfif, adobe]]) expect(extras(...bare)).toBe(false);
    for (const hidden of [
      [jfif, jfif],
      [jfif, adobe, adobe],
      [segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01abc')],
      [segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01')],
      [segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0a place')],
      [segment(0xe0, 'JFIF\0')],
      [jfif, segment(0xe0, 'JFXX\0\x10thumbna')],
      [segment(0xe0, 'AVI1 of a place')],
      [segment(0xee, 'Adobe\0\x64\0\0\0\0\x01 and more')],
      [segment(0xee, 'Place\0\x64\0\0\0\0\x01')],
      [segment(0xee, '')],
      [segment(0xdc, 'a place')],
      [jfif, Buffer.from('a place')],
    ])
      expect(extras(...hidden), hidden.map((one) => one.toString('latin1')).join()).toBe(true);
  });

  it('finds the dimensions that a decompression bomb claims', async () => {
    expect(pick(inspectJpeg(await bombJpeg(50_000, 50_000)))).toMatchObject({ width: 50_000, height: 50_000 });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['two bytes', Buffer.from([0xff, 0xd8])],
    ['text', Buffer.from('no picture')],
    ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ])('does not recognize %s', (_name, bytes) => {
    expect(pick(inspectJpeg(bytes))).toMatchObject({ isJpeg: false, isComplete: false });
  });

  it('rejects a segment without a length', () => {
    expect(inspectJpeg(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xd9])).isComplete).toBe(false);
  });

  it('takes time proportional to the size', () => {
    const head = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]);
    const bytes = Buffer.concat([head, Buffer.alloc(7_000_000, Buffer.from([0xff, 0x00]))]);
    const time = (size: number): number => {
      const times = Array.from({ length: 5 }, () => {
        const start = performance.now();
        expect(inspectJpeg(bytes.subarray(0, size)).isComplete).toBe(false);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    // A quadratic algorithm would take a million times as long, this one a thousand times.
    expect(time(7_000_000)).toBeLessThan(30_000 * time(7_000));
  });
});
