import sharp from 'sharp';

type Format = 'jpeg' | 'png' | 'gif' | 'webp';

/** Creates a picture whose orientation is visible: the left half is red, the right half blue, with noise against compression. */
export function picture(width: number, height: number, format: Format = 'jpeg'): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 7;
  for (let i = 0; i < width * height; i++) {
    state = (state * 48_271) % 2_147_483_647;
    const isLeft = i % width < width / 2;
    pixels.set([isLeft ? 200 : 20, state % 30, isLeft ? 20 : 200], i * 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

/** Creates a JPEG with an EXIF orientation of 90 degrees, a camera maker and a position. */
export const rotatedPicture = async (width: number, height: number): Promise<Buffer> =>
  sharp(await picture(width, height))
    .withExif({ IFD0: { Make: 'Camera of the garden' }, IFD3: { GPSLatitude: '51/1 0/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();

/** Creates a decompression bomb: a tiny PNG whose header declares this size. */
export async function bombPng(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(
    await sharp(Buffer.alloc(3), { raw: { width: 1, height: 1, channels: 3 } })
      .png()
      .toBuffer(),
  );
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

/** Creates a decompression bomb: a tiny JPEG whose header declares this size. */
export async function bombJpeg(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await picture(8, 8));
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

/** An SVG with a script. */
export const scriptedSvg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
);

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
