import { acceptedEncodings, compress, type Encoding } from './content-encoding.ts';
import { matchesTag, tagOf } from './entity-tag.ts';
import type { RequestHeaders } from './route.ts';
import { Reply } from './route.ts';

/** Text that is the same for every request: compressed once, and confirmed with 304 to clients that have it. */
export class FixedContent {
  readonly #text: string;
  readonly #type: string;
  readonly #tag: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  /** `headers`: further ones of each reply. Without `cache-control`, clients ask each time whether their copy is current. */
  constructor(text: string, type: string, headers: Readonly<Record<string, string>> = {}) {
    this.#text = text;
    this.#type = type;
    this.#tag = tagOf(text);
    this.#headers = { 'cache-control': 'no-cache', ...headers, etag: this.#tag, vary: 'accept-encoding' };
  }

  /** Returns 200 in the encoding that the client prefers, or 304. `more`: headers of this reply. */
  async reply(call: RequestHeaders, more: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const headers = { ...this.#headers, ...more };
    if (matchesTag(call, this.#tag)) return new Reply('', this.#type, 304, headers);
    const [encoding] = acceptedEncodings(call);
    if (!encoding) return new Reply(this.#text, this.#type, 200, headers);
    const bytes = await this.#encode(encoding);
    return new Reply(bytes, this.#type, 200, { ...headers, 'content-encoding': encoding });
  }

  #encode(encoding: Encoding): Promise<Buffer> {
    let bytes = this.#compressed.get(encoding);
    if (!bytes) {
      bytes = compress(Buffer.from(this.#text), encoding, 'kept');
      this.#compressed.set(encoding, bytes);
    }
    return bytes;
  }
}
