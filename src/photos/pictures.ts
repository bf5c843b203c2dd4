import type { Sharp, SharpOptions } from 'sharp';
import { loadedOnce } from '../core/loaded-once.ts';
import type { Message } from '../core/message.ts';
import { loadSharp } from '../core/native-module.ts';
import type { PhotoType } from './images.ts';
import type { JpegInspection } from './jpeg-inspection.ts';
import { inspectJpeg } from './jpeg-inspection.ts';
import { say } from './messages.ts';
import type { PhotoSize } from './storage-keys.ts';
import { photoSizes, sizeNames } from './storage-keys.ts';

export const maxPixels = 50_000_000;

/** Pixels. No camera has as many, and millions of lines take minutes to decode. */
export const maxSideLength = 30_000;

/** Time for all work on one picture, in ms. */
const defaultTimeout = 60_000;

/** Quality of JPEGs and WebPs, from 1 to 100. */
const quality = 90;

/** Pixels. Optimized coding saves a tenth of a JPEG, but takes 6 bytes of memory per pixel (48 megapixels: 511 MiB instead of 237). */
const maxOptimizedPixels = 8_000_000;

/** Thrown for files that are not pictures, or not accepted ones. */
export class UnreadablePictureError extends Error {
  readonly sentence: Message;

  constructor(sentence: Message, cause?: unknown) {
    super(String(sentence), { cause });
    this.name = 'UnreadablePicture';
    this.sentence = sentence;
  }
}

/** Accepted formats by their first bytes, and the types they are stored as. Of animations the first frame is stored. */
const formats: readonly { readonly type: PhotoType; readonly matches: (bytes: Buffer) => boolean }[] = [
  { type: 'jpg', matches: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  { type: 'png', matches: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' },
  { type: 'png', matches: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { type: 'webp', matches: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
];

/** A picture to be stored: in full, and in the sizes smaller than that. */
export interface ProcessedPicture {
  readonly type: PhotoType;
  readonly files: ReadonlyMap<PhotoSize | 'full', Buffer>;
}

type SharpFunction = typeof import('sharp')['default'];

/** The library, loaded for the first picture: most commands process none. */
const configuredSharp = loadedOnce(async (): Promise<SharpFunction> => {
  const { default: sharp } = await loadSharp();
  // Results are not reused, and one thread leaves the other processors to requests.
  sharp.cache(false);
  sharp.concurrency(1);
  // Allows these formats only: no SVG, no PDF, no scripts.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadNsgifBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
  return sharp;
});

/** Pictures are processed one at a time: each may take hundreds of megabytes. */
let last: Promise<unknown> = Promise.resolve();

function runExclusively<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

/**
 * Processes a picture for storage: upright, without metadata, in all sizes. Pictures are decoded on the library's threads, one
 * at a time. Rejects with {@link UnreadablePictureError} for anything but a PNG, GIF, WebP or JPEG of at most 50 megapixels and
 * 30,000 pixels a side, which is complete or a JPEG that is showable, and after `timeout` ms. [decision 17, rule F10]
 */
export async function processPicture(bytes: Buffer, timeout = defaultTimeout): Promise<ProcessedPicture> {
  const format = formats.find(({ matches }) => matches(bytes));
  if (!format) throw new UnreadablePictureError(say.otherFormat);
  const sharp = await configuredSharp();
  return runExclusively(async () => {
    try {
      const deadline = new Deadline(timeout);
      const inspection = format.type === 'jpg' ? inspectJpeg(bytes) : null;
      if (inspection?.isComplete !== false)
        return await render(sharp, format.type, bytes, inspection, limits, deadline);
      if (!(await isShowable(sharp, bytes, deadline))) throw new UnreadablePictureError(say.cutJpeg);
      return await render(sharp, format.type, bytes, inspection, truncatedLimits, deadline);
    } catch (error) {
      if (error instanceof UnreadablePictureError) throw error;
      throw new UnreadablePictureError(say.undecodable, error);
    }
  });
}

/** Whether so much of a truncated JPEG is there that {@link processPicture} accepts it. */
export async function isShowableJpeg(bytes: Buffer): Promise<boolean> {
  const sharp = await configuredSharp();
  return runExclusively(() => isShowable(sharp, bytes, new Deadline(defaultTimeout)).catch(() => false));
}

const limits = { limitInputPixels: maxPixels, failOn: 'error', autoOrient: true } satisfies SharpOptions;

/** The rest of a truncated JPEG is gray. */
const truncatedLimits = { ...limits, failOn: 'none' } satisfies SharpOptions;
/** The value of the missing pixels, in each channel. */
const missingGray = 128;
/** The share of the pixels that a truncated JPEG must have. [rule F10] */
const minShare = 0.1;

async function isShowable(sharp: SharpFunction, bytes: Buffer, deadline: Deadline): Promise<boolean> {
  const small = sharp(bytes, { ...truncatedLimits, autoOrient: false, ignoreIcc: true }).resize(
    photoSizes.x320,
    photoSizes.x320,
    { fit: 'inside', withoutEnlargement: true },
  );
  const pixels = await deadline.apply(small).raw().toBuffer();
  return pixels.filter((value) => value !== missingGray).length >= minShare * pixels.length;
}

/** The time left for one picture, over all steps. */
class Deadline {
  readonly #end: number;

  constructor(timeout: number) {
    this.#end = performance.now() + timeout;
  }

  /** Limits a step to the time left, in whole seconds. Throws {@link UnreadablePictureError} when there is none. */
  apply(step: Sharp): Sharp {
    const left = this.#end - performance.now();
    if (left <= 0) throw new UnreadablePictureError(say.slowDecoding);
    return step.timeout({ seconds: Math.ceil(left / 1000) });
  }
}

async function render(
  sharp: SharpFunction,
  type: PhotoType,
  bytes: Buffer,
  inspection: JpegInspection | null,
  options: SharpOptions,
  deadline: Deadline,
): Promise<ProcessedPicture> {
  const { width, height, space, orientation = 1 } = await sharp(bytes, options).metadata();
  const longest = Math.max(width, height);
  if (longest > maxSideLength) throw new UnreadablePictureError(say.longSide(maxSideLength));
  // A JPEG is decoded at the largest of the smaller sizes cheaply; the others are scaled from its pixels.
  const largest = sharp(bytes, options).resize(photoSizes.x1280, photoSizes.x1280, {
    fit: 'inside',
    withoutEnlargement: true,
  });
  const { data, info } = await deadline.apply(largest).raw().toBuffer({ resolveWithObject: true });
  const files = new Map<PhotoSize | 'full', Buffer>();
  // Encoding it again would lose quality.
  const isUnchanged = inspection?.isComplete === true && !inspection.hasExtras && orientation === 1 && space === 'srgb';
  files.set('full', isUnchanged ? bytes : await encode(deadline.apply(sharp(bytes, options)), type, width * height));
  const raw = { width: info.width, height: info.height, channels: info.channels };
  for (const name of sizeNames) {
    const side = photoSizes[name];
    if (side >= longest) continue;
    const smaller = sharp(data, { raw }).resize(side, side, {
      fit: 'inside',
      withoutEnlargement: true,
    });
    files.set(name, await encode(deadline.apply(smaller), type, side * side));
  }
  return { type, files };
}

/** Encodes RGB pixels as JPEG. */
export async function encodeJpeg({ data, width, height }: RawPixels): Promise<Buffer> {
  const sharp = await configuredSharp();
  return encode(sharp(data, { raw: { width, height, channels: 3 } }), 'jpg', width * height);
}

export interface RawPixels {
  /** Red, green and blue in turn. */
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

function encode(picture: Sharp, type: PhotoType, pixels: number): Promise<Buffer> {
  if (type === 'jpg') return picture.jpeg({ quality, optimizeCoding: pixels <= maxOptimizedPixels }).toBuffer();
  return type === 'png' ? picture.png().toBuffer() : picture.webp({ quality }).toBuffer();
}
