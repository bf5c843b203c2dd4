import type { ImageRow } from '../photos/images.ts';
import type { PreparedPhoto } from '../photos/photo-records.ts';

/** What rows of photos say of a picture that is stored already. */
export type SoilPhoto = Pick<ImageRow, 'attachment_url' | 'origin'> & PreparedPhoto;

/** Pixels, as a robot's camera has them. */
const width = 640;
const height = 480;
/** Pixels of one clod. */
const clod = 8;

/** A picture of soil, always the same: brown clods, lighter and darker. PNG. */
export async function renderSoilPhoto(): Promise<Buffer> {
  const [columns, rows] = [width / clod, height / clod];
  const pixels = Buffer.alloc(columns * rows * 3);
  let state = 12_345;
  for (let i = 0; i < columns * rows; i++) {
    // The usual linear congruential generator: evenly spread is enough.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const light = 0.7 + (0.6 * state) / 2_147_483_648;
    pixels.set([96 * light, 68 * light, 44 * light].map(Math.round), i * 3);
  }
  // Loaded only for demos with many photos.
  const { default: sharp } = await import('sharp');
  const raw = { width: columns, height: rows, channels: 3 } as const;
  return sharp(pixels, { raw }).resize(width, height, { kernel: 'cubic' }).png({ palette: true }).toBuffer();
}
