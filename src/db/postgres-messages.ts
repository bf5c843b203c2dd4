/** A value of a statement as PostgreSQL receives it: its text. */
export type TextValue = string | null;

/** Returns the text of an array. */
const arrayText = (values: readonly unknown[]): string =>
  `{${values.map((value) => (typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : (textOf(value) ?? 'null'))).join()}}`;

/** Returns the text of a value. Throws for values that no column has. */
export function textOf(value: unknown): TextValue {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return arrayText(value);
  if (typeof value === 'object') throw new Error('a value of a statement is an object');
  return String(value);
}

/** Bytes of the buffer that is used again. */
const usualSize = 65_536;

/** Writes messages of PostgreSQL's extended query protocol, one after the other, for one write to the socket. */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(usualSize);
  #length = 0;

  parse(name: string, sql: string): void {
    const start = this.#begin('P');
    this.#name(name);
    this.#name(sql);
    this.#int16(0);
    this.#end(start);
  }

  bind(name: string, values: readonly TextValue[]): void {
    const start = this.#begin('B');
    this.#name('');
    this.#name(name);
    this.#int16(0);
    this.#int16(values.length);
    for (const value of values) {
      const at = this.#length;
      this.#int32(-1);
      if (value === null) continue;
      this.#text(value);
      this.#buffer.writeInt32BE(this.#length - at - 4, at);
    }
    this.#int16(0);
    this.#end(start);
  }

  describe(): void {
    const start = this.#begin('D');
    this.#name('P');
    this.#end(start);
  }

  execute(): void {
    const start = this.#begin('E');
    this.#name('');
    this.#int32(0);
    this.#end(start);
  }

  sync(): void {
    this.#end(this.#begin('S'));
  }

  /** Returns the messages and begins anew. */
  take(): Buffer {
    const messages = Buffer.from(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    if (this.#buffer.length > usualSize) this.#buffer = Buffer.allocUnsafe(usualSize);
    return messages;
  }

  /** Begins a message with its type and, later, its length. */
  #begin(type: string): number {
    this.#reserve(5);
    this.#length += this.#buffer.write(type, this.#length, 'latin1');
    this.#length += 4;
    return this.#length - 4;
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start, start);
  }

  #name(text: string): void {
    this.#text(text);
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(0, this.#length);
  }

  #text(text: string): void {
    // A unit of UTF-16 takes at most three bytes.
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
