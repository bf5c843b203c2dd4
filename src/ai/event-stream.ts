/** Characters of one event at most; a piece of an answer has a few hundred. */
export const maxEventLength = 256 * 1024;

/** An event is longer than {@link maxEventLength}. */
export class EventTooLongError extends Error {
  constructor() {
    super('an event of the stream is too long');
    this.name = 'EventTooLong';
  }
}

/**
 * Reads server-sent events from bytes that come in pieces of any size: lines and characters may be split anywhere. Only
 * the data of events is given; comments, names and ids are passed over. [WHATWG HTML, Server-sent events]
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  /** Characters of the event so far. */
  #size = 0;
  #isAfterReturn = false;

  /** The data of the events that these bytes complete. Throws EventTooLong. */
  take(bytes: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The data of an event that only lacks the empty line behind it. What breaks off within a line is lost. */
  end(): string[] {
    const events = this.#read(this.#decoder.decode());
    this.#line = '';
    const last = this.#dispatch();
    return last === null ? events : [...events, last];
  }

  #read(text: string): string[] {
    const events: string[] = [];
    let from = 0;
    // Only new text is searched: a long line that comes in small pieces costs no more than its length.
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (character !== '\n' && character !== '\r') {
        this.#isAfterReturn = false;
        continue;
      }
      const isSecondHalf = character === '\n' && this.#isAfterReturn;
      this.#isAfterReturn = character === '\r';
      if (!isSecondHalf) {
        this.#add(text.slice(from, at));
        const event = this.#endLine();
        if (event !== null) events.push(event);
      }
      from = at + 1;
    }
    this.#add(text.slice(from));
    return events;
  }

  #add(text: string): void {
    this.#size += text.length;
    if (this.#size > maxEventLength) throw new EventTooLongError();
    this.#line += text;
  }

  #endLine(): string | null {
    const line = this.#line;
    this.#line = '';
    if (line === '') return this.#dispatch();
    const [, value] = /^data(?:: ?(.*))?$/s.exec(line) ?? [null, null];
    if (value !== null) this.#data.push(value ?? '');
    else this.#size -= line.length;
    return null;
  }

  #dispatch(): string | null {
    const data = this.#data;
    this.#data = [];
    this.#size = 0;
    return data.length === 0 ? null : data.join('\n');
  }
}
