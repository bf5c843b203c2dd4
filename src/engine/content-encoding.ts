import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { RequestHeaders } from './route.ts';

/** Content encodings, the preferred one first. */
const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/**
 * The quality of Brotli. Lists of 13 and 50 KB of JSON become as small with 4 as with 5, in a third of the time; 160 KB
 * of a series half as large again in half the time.
 */
const brotliQuality = { once: 4, kept: 5 } as const;

/** 160 KB of a series become as small as with 6, in two thirds of the time; 690 KB of the API's description 3 % larger. */
const gzipLevel = 5;

/** Returns a stream that compresses its input, with smaller windows than the defaults, because each connection may have one. `flushes`: each write is sent immediately. */
export const compressor = (encoding: Encoding, flushes: boolean): Transform =>
  encoding === 'gzip'
    ? createGzip({ level: gzipLevel, ...(flushes && { flush: constants.Z_SYNC_FLUSH }) })
    : createBrotliCompress({
        params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality.once, [constants.BROTLI_PARAM_LGWIN]: 18 },
        ...(flushes && { flush: constants.BROTLI_OPERATION_FLUSH }),
      });

const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:json|xml|wasm|manifest|vnd\.ms-fontobject)|image\/(?:svg|bmp|x-icon)|font\/(?:ttf|otf)|model\/(?:gltf\+json|obj))/;

/** Whether compression makes content of this type much smaller. Streams of events must arrive as they are sent. */
export const isCompressible = (type: string): boolean => compressible.test(type);

const gzipOptions = { level: gzipLevel };
const brotliOptions = (use: keyof typeof brotliQuality) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality[use] },
});

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/**
 * Compresses bytes off the event loop. `use`: `once` for a single response, `kept` for content that is compressed once and
 * sent often. Quality 5 compresses a bundle of 5 MB in 0.1 s; 11 takes 10 s and saves little more.
 */
export const compress = (bytes: Buffer, encoding: Encoding, use: keyof typeof brotliQuality): Promise<Buffer> =>
  encoding === 'gzip' ? compressors.gzip(bytes, gzipOptions) : compressors.br(bytes, brotliOptions(use));

/**
 * Bytes that {@link compressAtOnce} compresses in less time than it takes to pass them to another thread and back: 13 KB of
 * JSON take 0.16 ms instead of 0.14 on the event loop and 0.2 beside it.
 */
export const maxSizeAtOnce = 16 * 1024;

/** Compresses a small response; it does not wait for a thread, all of which may be busy with passwords and photos. */
export const compressAtOnce = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === 'gzip' ? gzipSync(bytes, gzipOptions) : brotliCompressSync(bytes, brotliOptions('once'));

/** Returns the weight of each name in `Accept-Encoding`, from 0 to 1. */
function sentWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((each) => each.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0);
  }
  return weights;
}

/** Returns the encodings that the client accepts, the preferred one first; without encodings that are less preferred than none (RFC 9110, 12.5.3). */
export function acceptedEncodings({ headers }: RequestHeaders): readonly Encoding[] {
  const sent = headers['accept-encoding'];
  if (typeof sent !== 'string') return [];
  const weights = sentWeights(sent);
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const least = weights.get('identity') ?? 0;
  return encodings
    .filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= least)
    .sort((a, b) => weightOf(b) - weightOf(a));
}
