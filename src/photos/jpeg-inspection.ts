const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Segments needed for decoding: tables, restart intervals, start of scan. */
const decoderSegments: ReadonlySet<number> = new Set([0xc4, 0xcc, 0xdb, 0xdd, startOfScan]);
/** Application segments without metadata: JFIF without a thumbnail, and Adobe's color transform. `length`: bytes, with the length field. */
const app0 = 0xe0;
const harmlessSegments: ReadonlyMap<number, { readonly name: string; readonly length: number }> = new Map([
  [app0, { name: 'JFIF\0', length: 16 }],
  [0xee, { name: 'Adobe', length: 14 }],
]);
/** Bytes kept of a segment. */
const maxHeadLength = 14;

/** Whether a marker has no segment. */
const isStandalone = (code: number): boolean => code === 0x01 || (code >= 0xd0 && code <= startOfImage);

/** Whether a marker begins a frame header, which holds the size: 0xc0 to 0xcf but for tables. */
const isFrame = (code: number): boolean =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;

/** `end`: behind the end of the image; `none`: not a JPEG. */
type State = 'start' | 'marker' | 'code' | 'length' | 'segment' | 'scan' | 'scan code' | 'end' | 'none';

/**
 * Inspects a JPEG in chunks of any size: its dimensions, whether it is complete, and whether it holds metadata. Keeps a few
 * bytes only and takes milliseconds per megabyte.
 */
export class JpegInspection {
  width = 0;
  height = 0;
  /** Holds metadata, or data behind the end of the image. */
  hasExtras = false;
  #state: State = 'start';
  /** Bytes read of the signature, of a length, or of a segment. */
  #count = 0;
  #code = 0;
  #length = 0;
  /** The first bytes of the current segment. */
  #head: number[] = [];
  /** Harmless segments found so far. */
  readonly #found = new Set<number>();

  /** Whether it begins like a JPEG; false before the first three bytes. */
  get isJpeg(): boolean {
    return this.#state !== 'start' && this.#state !== 'none';
  }

  /** Whether it has an end and dimensions; a truncated file has no end. */
  get isComplete(): boolean {
    return this.#state === 'end' && this.width > 0 && this.height > 0;
  }

  write(chunk: Buffer): void {
    for (let i = 0; i < chunk.length; ) {
      if (this.#state === 'scan') {
        // Stuffed zeros are frequent, so they are skipped here.
        let at = chunk.indexOf(0xff, i);
        while (at >= 0 && chunk[at + 1] === 0) at = chunk.indexOf(0xff, at + 2);
        if (at < 0) return;
        this.#state = 'scan code';
        i = at + 1;
      } else if (this.#state === 'segment') i += this.#skip(chunk, i);
      else if (this.#state === 'end') {
        this.hasExtras = true;
        return;
      } else if (this.#state === 'none') return;
      else this.#step(chunk[i++] ?? 0);
    }
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'start': {
        if (byte !== [0xff, startOfImage, 0xff][this.#count]) this.#state = 'none';
        else if (++this.#count === 3) this.#state = 'code';
        return;
      }
      // Bytes between segments are skipped, as decoders do.
      case 'marker':
        if (byte === 0xff) this.#state = 'code';
        else this.hasExtras = true;
        return;
      case 'code':
        if (byte !== 0xff) this.#open(byte);
        return;
      case 'length':
        this.#length = this.#length * 256 + byte;
        if (++this.#count === 2) this.#begin();
        return;
      // In image data 0xff is followed by a stuffed zero or begins a marker.
      case 'scan code':
        if (byte === 0 || (byte >= 0xd0 && byte <= 0xd7)) this.#state = 'scan';
        else if (byte !== 0xff) this.#open(byte);
        return;
    }
  }

  #open(code: number): void {
    this.#code = code;
    this.#count = 0;
    this.#length = 0;
    if (code === endOfImage) this.#state = 'end';
    else if (code === 0 || isStandalone(code)) this.#state = 'marker';
    else this.#state = 'length';
  }

  #begin(): void {
    this.#count = 2;
    this.#head = [];
    if (this.#length < 2) this.#state = 'none';
    else this.#close();
  }

  /** Skips the content of a segment, keeping its head; returns the number of bytes skipped. */
  #skip(chunk: Buffer, from: number): number {
    const count = Math.min(this.#length - this.#count, chunk.length - from);
    this.#head.push(...chunk.subarray(from, from + Math.min(count, maxHeadLength - this.#head.length)));
    this.#count += count;
    this.#close();
    return count;
  }

  /** Evaluates a segment once it is complete. */
  #close(): void {
    this.#state = 'segment';
    if (this.#count < this.#length) return;
    if (isFrame(this.#code)) {
      const [, high = 0, low = 0, left = 0, right = 0] = this.#head;
      this.height = high * 256 + low;
      this.width = left * 256 + right;
    } else if (!decoderSegments.has(this.#code) && !this.#isHarmless()) this.hasExtras = true;
    this.#state = this.#code === startOfScan ? 'scan' : 'marker';
  }

  /** Whether the segment is a harmless one, found for the first time. */
  #isHarmless(): boolean {
    const { name, length } = harmlessSegments.get(this.#code) ?? {};
    if (name === undefined || this.#length !== length || this.#found.has(this.#code)) return false;
    this.#found.add(this.#code);
    if (Buffer.from(this.#head).toString('latin1', 0, name.length) !== name) return false;
    // A JFIF head ends with the width and height of its thumbnail.
    return this.#code !== app0 || (this.#head.at(-2) === 0 && this.#head.at(-1) === 0);
  }
}

/** Inspects a whole JPEG. */
export function inspectJpeg(bytes: Buffer): JpegInspection {
  const inspection = new JpegInspection();
  inspection.write(bytes);
  return inspection;
}
