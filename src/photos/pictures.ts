import type { Sharp, SharpOptions } from 'sharp';
import type { PhotoType } from './images.ts';
import { inspectJpeg } from './jpeg-inspection.ts';
import type { PhotoSize } from './storage-keys.ts';
import { photoSizes, sizeNames } from './storage-keys.ts';

/** Pixels of a picture: 50 megapixels. */
export const maxPixels = 50_000_000;

/** Pixels of a picture's side. No camera has as many; lines by the million take minutes. */
export const maxSideLength = 30_000;

/** How long all work on one picture may take, in ms. */
const longestWork = 60_000;

/** Quality of JPEGs and WebPs, of 100. */
const quality = 90;

/** Pixels of a JPEG whose coding is optimized: that takes 6 bytes a pixel (511 MiB instead of 237 for 48 megapixels) and saves a tenth of the file. */
const mostOptimized = 8_000_000;

/** What is no picture, or none that is taken. */
export class UnreadablePictureError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'UnreadablePicture';
  }
}

/** The kinds of pictures that are read, by their first bytes, and what they are kept as. A moving picture is kept as its first moment. */
const kinds: readonly { readonly type: PhotoType; readonly begins: (bytes: Buffer) => boolean }[] = [
  { type: 'jpg', begins: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  { type: 'png', begins: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' },
  { type: 'png', begins: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { type: 'webp', begins: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
];

/** A picture as it is kept: in full and in the sizes that are smaller than that. */
export interface ProcessedPicture {
  readonly type: PhotoType;
  readonly files: ReadonlyMap<PhotoSize | 'full', Buffer>;
}

type SharpFunction = typeof import('sharp')['default'];

let loaded: Promise<SharpFunction> | null = null;

/** The library, loaded when the first picture comes: most commands see none. */
function library(): Promise<SharpFunction> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    // Results are never asked for twice, and one picture at a time leaves the other processors to requests.
    sharp.cache(false);
    sharp.concurrency(1);
    // Whatever a file pretends to be, nothing else is ever read: no SVG, no PDF, no scripts of image programs.
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
  return loaded;
}

/** Pictures are worked on one after the other: each may take some hundred megabytes. */
let last: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}

/**
 * Makes what is kept of a picture: turned upright, without metadata, in all sizes. It is decoded on threads of the library's
 * own, one picture at a time. Rejects with {@link UnreadablePictureError} for what is no whole JPEG, PNG, GIF or WebP, for more
 * than 50 megapixels or 30,000 pixels a side, and for what takes longer than a minute (`most`, in ms).
 */
export async function processPicture(bytes: Buffer, most = longestWork): Promise<ProcessedPicture> {
  const kind = kinds.find(({ begins }) => begins(bytes));
  if (!kind) throw new UnreadablePictureError('it is no JPEG, PNG, GIF or WebP');
  const sharp = await library();
  return inTurn(async () => {
    try {
      return await render(sharp, kind.type, bytes, new TimeLimit(most));
    } catch (error) {
      if (error instanceof UnreadablePictureError) throw error;
      throw new UnreadablePictureError('it cannot be decoded', error);
    }
  });
}

const limits = { limitInputPixels: maxPixels, failOn: 'error', autoOrient: true } satisfies SharpOptions;

/** The time that is left for one picture, over all steps of the work on it. */
class TimeLimit {
  readonly #end: number;

  /** `most`: in ms. */
  constructor(most: number) {
    this.#end = performance.now() + most;
  }

  /** Ends a step when no time is left, to the second. Throws {@link UnreadablePictureError} when none is left already. */
  applied(step: Sharp): Sharp {
    const left = this.#end - performance.now();
    if (left <= 0) throw new UnreadablePictureError('it takes too long to be decoded');
    return step.timeout({ seconds: Math.ceil(left / 1000) });
  }
}

async function render(
  sharp: SharpFunction,
  type: PhotoType,
  bytes: Buffer,
  time: TimeLimit,
): Promise<ProcessedPicture> {
  const { width, height, space, orientation = 1 } = await sharp(bytes, limits).metadata();
  const longest = Math.max(width, height);
  if (longest > maxSideLength) throw new UnreadablePictureError(`a side of it has more than ${maxSideLength} pixels`);
  // Decoding the largest of the smaller sizes is cheap for a JPEG, and all others follow from its pixels.
  const largest = sharp(bytes, limits).resize(photoSizes.x1280, photoSizes.x1280, {
    fit: 'inside',
    withoutEnlargement: true,
  });
  const { data, info } = await time.applied(largest).raw().toBuffer({ resolveWithObject: true });
  const files = new Map<PhotoSize | 'full', Buffer>();
  const isPlain = type === 'jpg' && orientation === 1 && space === 'srgb' && isBare(bytes);
  files.set('full', isPlain ? bytes : await encoded(time.applied(sharp(bytes, limits)), type, width * height));
  const { width: across, height: down, channels } = info;
  for (const name of sizeNames) {
    const side = photoSizes[name];
    if (side >= longest) continue;
    const smaller = sharp(data, { raw: { width: across, height: down, channels } }).resize(side, side, {
      fit: 'inside',
      withoutEnlargement: true,
    });
    files.set(name, await encoded(time.applied(smaller), type, side * side));
  }
  return { type, files };
}

/** A JPEG that holds nothing but the picture is kept as it is: to write it again would only take from it. */
function isBare(bytes: Buffer): boolean {
  const { isWhole, hasExtras } = inspectJpeg(bytes);
  return isWhole && !hasExtras;
}

/** A JPEG of raw pixels: red, green and blue in turn. */
export async function jpegOf({ data, width, height }: RawPixels): Promise<Buffer> {
  const sharp = await library();
  return encoded(sharp(data, { raw: { width, height, channels: 3 } }), 'jpg', width * height);
}

export interface RawPixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

function encoded(picture: Sharp, type: PhotoType, pixels: number): Promise<Buffer> {
  if (type === 'jpg') return picture.jpeg({ quality, optimizeCoding: pixels <= mostOptimized }).toBuffer();
  return type === 'png' ? picture.png().toBuffer() : picture.webp({ quality }).toBuffer();
}
