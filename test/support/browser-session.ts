/** A response to a browser's request. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: unknown;
}

type Send = (
  path: string,
  options: {
    readonly headers: Record<string, string>;
    readonly token?: string;
    readonly body?: { readonly key: string };
  },
) => Promise<Answer>;

/** The name and value of the cookie that a response stores. Throws if it stores none. */
export function cookieOf({ headers }: Pick<Answer, 'headers'>): string {
  const header = [headers['set-cookie']].flat()[0];
  if (typeof header !== 'string') throw new Error('the response stores no cookie');
  return header.split(';')[0] ?? '';
}

/** A browser with a page of the server that stays signed in. */
export class BrowserSession {
  readonly #send: Send;
  readonly #origin: string;
  key = '';
  cookie = '';

  /** `origin`: that of the page. */
  constructor(origin: string, send: Send) {
    this.#origin = origin;
    this.#send = send;
  }

  /** Has the browser resume the session of a token from now on. */
  async keep(token: string): Promise<Answer> {
    const answer = await this.#send('/api/tokens/resumable', { token, headers: { origin: this.#origin } });
    if (answer.status !== 200) throw new Error(`the session is not resumable: ${answer.status}`);
    this.key = (answer.json as { key: string }).key;
    this.cookie = cookieOf(answer);
    return answer;
  }

  /** Resumes the session as a new tab does, or with other headers and another key. The browser stores the next cookie. */
  async resume(headers: Record<string, string> = {}, key = this.key): Promise<Answer> {
    const all = { origin: this.#origin, cookie: this.cookie, ...headers };
    const answer = await this.#send('/api/tokens/resume', { headers: all, body: { key } });
    if (answer.headers['set-cookie']) this.cookie = cookieOf(answer);
    return answer;
  }
}
