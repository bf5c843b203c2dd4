import { loadSharp } from '../core/native-module.ts';

/** The size of a robot camera's photos, in pixels. */
const width = 640;
const height = 480;
/** The size of a soil clod, in pixels. */
const clod = 8;

/** Renders an image of soil, always the same, as PNG. */
export async function renderSoilPhoto(): Promise<Buffer> {
  const [columns, rows] = [width / clod, height / clod];
  const pixels = Buffer.alloc(columns * rows * 3);
  let state = 12_345;
  for (let i = 0; i < columns * rows; i++) {
    // A linear congruential generator is random enough here.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const light = 0.7 + (0.6 * state) / 2_147_483_648;
    pixels.set([96 * light, 68 * light, 44 * light].map(Math.round), i * 3);
  }
  // Loaded only for stress tests.
  const { default: sharp } = await loadSharp();
  const raw = { width: columns, height: rows, channels: 3 } as const;
  return sharp(pixels, { raw }).resize(width, height, { kernel: 'cubic' }).png({ palette: true }).toBuffer();
}
