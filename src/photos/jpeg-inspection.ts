const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Segments that decoding needs: tables, intervals, and the beginning of a scan. */
const tables: ReadonlySet<number> = new Set([0xc4, 0xcc, 0xdb, 0xdd, startOfScan]);
/** Application segments that a file may have and still hold nothing but the picture: density without a thumbnail, and how colours were turned. `length`: bytes, with the two that say so. */
const app0 = 0xe0;
const plain: ReadonlyMap<number, { readonly name: string; readonly length: number }> = new Map([
  [app0, { name: 'JFIF\0', length: 16 }],
  [0xee, { name: 'Adobe', length: 14 }],
]);
/** Bytes of a segment that are remembered, at most. */
const mostRemembered = 14;

/** Markers that stand alone, without a length. */
const isAlone = (code: number): boolean => code === 0x01 || (code >= 0xd0 && code <= startOfImage);

/** Markers of frames, which say how large the picture is: 0xc0 to 0xcf without tables. */
const isFrame = (code: number): boolean =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;

/** Where the reader stands: before the file's first bytes, between segments, in a segment, in a picture's data, behind its end, or in something that is no JPEG. */
type State = 'start' | 'marker' | 'code' | 'length' | 'segment' | 'scan' | 'scan code' | 'end' | 'none';

/**
 * Reads a JPEG as it comes, in pieces of any length: its size in pixels, whether it is whole, and whether it holds more than
 * the picture. It remembers a few bytes, and takes milliseconds for millions of them.
 */
export class JpegInspection {
  width = 0;
  height = 0;
  /** Holds what a camera tells about the picture, or something behind its end. */
  hasExtras = false;
  #state: State = 'start';
  /** Bytes seen of the first three, of a length, or of a segment. */
  #seen = 0;
  #code = 0;
  #length = 0;
  /** The first bytes of a segment that are looked at. */
  #head: number[] = [];
  /** Application segments that were seen. */
  readonly #known = new Set<number>();

  /** It begins like one; false also while less than three bytes came. */
  get isJpeg(): boolean {
    return this.#state !== 'start' && this.#state !== 'none';
  }

  /** It has an end and a size. One that is cut off has no end. */
  get isWhole(): boolean {
    return this.#state === 'end' && this.width > 0 && this.height > 0;
  }

  see(chunk: Buffer): void {
    for (let i = 0; i < chunk.length; ) {
      if (this.#state === 'scan') {
        // Zeros behind 0xff are so many that they are passed over here.
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
        if (byte !== [0xff, startOfImage, 0xff][this.#seen]) this.#state = 'none';
        else if (++this.#seen === 3) this.#state = 'code';
        return;
      }
      // What lies between segments is skipped, as decoders do.
      case 'marker':
        if (byte === 0xff) this.#state = 'code';
        else this.hasExtras = true;
        return;
      case 'code':
        if (byte !== 0xff) this.#open(byte);
        return;
      case 'length':
        this.#length = this.#length * 256 + byte;
        if (++this.#seen === 2) this.#begin();
        return;
      // In a picture's data every 0xff is followed by a zero, or is a marker.
      case 'scan code':
        if (byte === 0 || (byte >= 0xd0 && byte <= 0xd7)) this.#state = 'scan';
        else if (byte !== 0xff) this.#open(byte);
        return;
    }
  }

  #open(code: number): void {
    this.#code = code;
    this.#seen = 0;
    this.#length = 0;
    if (code === endOfImage) this.#state = 'end';
    else if (code === 0 || isAlone(code)) this.#state = 'marker';
    else this.#state = 'length';
  }

  #begin(): void {
    this.#seen = 2;
    this.#head = [];
    if (this.#length < 2) this.#state = 'none';
    else this.#close();
  }

  /** Passes over what a segment holds, and remembers its beginning. Gives how many bytes that were. */
  #skip(chunk: Buffer, from: number): number {
    const count = Math.min(this.#length - this.#seen, chunk.length - from);
    this.#head.push(...chunk.subarray(from, from + Math.min(count, mostRemembered - this.#head.length)));
    this.#seen += count;
    this.#close();
    return count;
  }

  /** Goes on behind a segment once all of it was seen. */
  #close(): void {
    this.#state = 'segment';
    if (this.#seen < this.#length) return;
    if (isFrame(this.#code)) {
      const [, high = 0, low = 0, left = 0, right = 0] = this.#head;
      this.height = high * 256 + low;
      this.width = left * 256 + right;
    } else if (!tables.has(this.#code) && !this.#isPlain()) this.hasExtras = true;
    this.#state = this.#code === startOfScan ? 'scan' : 'marker';
  }

  /** Whether a segment is one of the two that may be there, each once. */
  #isPlain(): boolean {
    const { name, length } = plain.get(this.#code) ?? {};
    if (name === undefined || this.#length !== length || this.#known.has(this.#code)) return false;
    this.#known.add(this.#code);
    if (Buffer.from(this.#head).toString('latin1', 0, name.length) !== name) return false;
    // A thumbnail's width and height end the first one.
    return this.#code !== app0 || (this.#head.at(-2) === 0 && this.#head.at(-1) === 0);
  }
}

/** Reads a JPEG that is there as a whole. */
export function inspectJpeg(bytes: Buffer): JpegInspection {
  const inspection = new JpegInspection();
  inspection.see(bytes);
  return inspection;
}
