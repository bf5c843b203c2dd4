const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const comment = 0xfe;
/** Application segments: the first holds the file's own name and density, the last but one how colours were turned. All others describe the picture. */
const app0 = 0xe0;
const app14 = 0xee;
const app15 = 0xef;

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
  #frame: number[] = [];

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
    const describes = this.#code > app0 && this.#code <= app15 && this.#code !== app14;
    if (describes || this.#code === comment) this.hasExtras = true;
    this.#frame = [];
    if (this.#length < 2) this.#state = 'none';
    else this.#close();
  }

  /** Passes over what a segment holds; of a frame it keeps the size. Gives how many bytes that were. */
  #skip(chunk: Buffer, from: number): number {
    const count = Math.min(this.#length - this.#seen, chunk.length - from);
    if (isFrame(this.#code))
      this.#frame.push(...chunk.subarray(from, from + Math.min(count, Math.max(0, 5 - this.#frame.length))));
    this.#seen += count;
    this.#close();
    return count;
  }

  /** Goes on behind a segment once all of it was seen. */
  #close(): void {
    this.#state = 'segment';
    if (this.#seen < this.#length) return;
    if (isFrame(this.#code)) {
      const [, high = 0, low = 0, left = 0, right = 0] = this.#frame;
      this.height = high * 256 + low;
      this.width = left * 256 + right;
    }
    this.#state = this.#code === startOfScan ? 'scan' : 'marker';
  }
}

/** Reads a JPEG that is there as a whole. */
export function inspectJpeg(bytes: Buffer): JpegInspection {
  const inspection = new JpegInspection();
  inspection.see(bytes);
  return inspection;
}
