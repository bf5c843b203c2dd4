import sharp from 'sharp';

type Format = 'jpeg' | 'png' | 'gif' | 'webp';

/** A picture whose colours tell where is up: its left half is red, its right half blue, and noise keeps it from shrinking to nothing. */
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

/** A JPEG as a camera writes it that was turned by a quarter: it lies on its side, and says so, with a maker and a place. */
export const rotatedPicture = async (width: number, height: number): Promise<Buffer> =>
  sharp(await picture(width, height))
    .withExif({ IFD0: { Make: 'Camera of the garden' }, IFD3: { GPSLatitude: '51/1 0/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();

/** A PNG that claims so many pixels and holds next to nothing. */
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

/** A JPEG that claims so many pixels and holds next to nothing. */
export async function bombJpeg(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await picture(8, 8));
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

/** A drawing that runs a program where it is shown as a page. */
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
