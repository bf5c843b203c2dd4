import { isObject } from '../core/json.ts';
import { toPrintable } from './nodes.ts';

/** The version that the virtual robot says it has: above what servers ask for. [client FBOS] */
export const osVersion = '15.4.11';

/** Milliseconds to wait for an answer. */
const patience = 10_000;

/** Who the robot is. */
export type Credentials = { readonly email: string; readonly password: string } | { readonly token: string };

/** What a robot reads from its token. */
export interface RobotToken {
  readonly encoded: string;
  readonly bot: string;
  readonly mqtt: string;
  readonly mqttWs: string;
}

/** Why the server and the robot do not come together, as a sentence. */
export class RobotError extends Error {
  /** Of the answer; null when there was none. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** Reads what clients read: the middle part, with plain Base64. Throws {@link RobotError}. [client JS] */
export function readToken(encoded: string): RobotToken {
  try {
    const claims: unknown = JSON.parse(atob(encoded.split('.')[1] ?? ''));
    if (isObject(claims)) {
      const { bot, mqtt, mqtt_ws } = claims;
      if (typeof bot === 'string' && typeof mqtt === 'string' && typeof mqtt_ws === 'string')
        return { encoded, bot, mqtt, mqttWs: mqtt_ws };
    }
  } catch {
    // Told below, like a token without these claims.
  }
  throw new RobotError('This is no token for a robot.');
}

/** The server's first sentence about what was wrong. */
function reasonIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const first = isObject(body) ? Object.values(body).find((each) => typeof each === 'string') : undefined;
    if (typeof first === 'string') return toPrintable(first);
  } catch {
    // No JSON: the status must do.
  }
  return '';
}

/** The server's HTTP interface as a robot uses it. */
export class RobotApi {
  readonly #server: string;
  readonly #credentials: Credentials;
  #token: RobotToken | null = null;

  /** `server`: `http://host:port`. */
  constructor(server: string, credentials: Credentials) {
    this.#server = server.replace(/\/+$/, '');
    this.#credentials = credentials;
  }

  /** Whether it can sign in anew when its token is no longer valid. */
  get canSignIn(): boolean {
    return 'email' in this.#credentials;
  }

  /** Null before the first sign-in. */
  get token(): RobotToken | null {
    return this.#token;
  }

  /** Gets a token, or takes the given one. Throws {@link RobotError}. */
  async signIn(): Promise<RobotToken> {
    const token = 'token' in this.#credentials ? this.#credentials.token : await this.#freshToken(this.#credentials);
    this.#token = readToken(token);
    return this.#token;
  }

  clearToken(): void {
    this.#token = null;
  }

  /** The JSON of an answer. Signs in once more after a 401, if it can. Throws {@link RobotError}. */
  async request(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await this.#send(method, path, body);
    if (answer.status !== 401 || !this.canSignIn) return this.#read(path, answer);
    await this.signIn();
    return this.#read(path, await this.#send(method, path, body));
  }

  get(path: string): Promise<unknown> {
    return this.request('GET', path);
  }

  async #freshToken(user: { readonly email: string; readonly password: string }): Promise<string> {
    this.#token = null;
    const reply = this.#read('/api/tokens', await this.#send('POST', '/api/tokens', { user }));
    const token = isObject(reply) && isObject(reply.token) ? reply.token.encoded : undefined;
    if (typeof token !== 'string') throw new RobotError(`${this.#server} answers, but gives no tokens.`);
    return token;
  }

  async #send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const headers: Record<string, string> = {
      'User-Agent': `FarmbotOS/${osVersion} (virtual) virtual ()`,
      'Content-Type': 'application/json',
    };
    if (this.#token) headers.Authorization = `Bearer: ${this.#token.encoded}`;
    try {
      const answer = await fetch(`${this.#server}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(patience),
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const code = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown';
      throw new RobotError(`${this.#server} does not answer (${code}).`);
    }
  }

  #read(path: string, { status, text }: { status: number; text: string }): unknown {
    if (status < 200 || status > 299) {
      const reason = reasonIn(text);
      throw new RobotError(reason === '' ? `${path} was answered with ${status}.` : reason, status);
    }
    if (text === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      throw new RobotError(`${path} was answered with something that is no JSON.`, status);
    }
  }
}
