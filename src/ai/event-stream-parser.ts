/** Maximum length of an event, in characters. A typical chunk has a few hundred. */
export const maxEventLength = 256 * 1024;

/** Thrown for an event longer than {@link maxEventLength}. */
export class EventTooLongError extends Error {
  constructor() {
    super('an event of the stream is too long');
    this.name = 'EventTooLongError';
  }
}

/**
 * Parses server-sent events (WHATWG HTML) from chunks that may split lines and characters anywhere. Returns only the data of
 * events; comments, names and ids are ignored.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  /** Length of the current event, in characters. */
  #size = 0;
  #isAfterReturn = false;

  /** Returns the data of the events that these bytes complete. Throws EventTooLongError. */
  take(bytes: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Returns the data of a last event without its final empty line. An incomplete line is dropped. */
  end(): string[] {
    const events = this.#read(this.#decoder.decode());
    this.#line = '';
    const last = this.#dispatch();
    return last === null ? events : [...events, last];
  }

  #read(text: string): string[] {
    const events: string[] = [];
    let from = 0;
    // Only new text is searched, so a long line in small chunks costs linear time.
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
