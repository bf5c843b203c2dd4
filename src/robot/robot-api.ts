import { isObject } from '../core/json.ts';
import { nodeFetch, withLateErrors } from '../core/library-errors.ts';
import { errorCode } from '../core/system.ts';
import { toPrintable } from './nodes.ts';
import { isOs154, type OsVersion, osVersions } from './os-version.ts';

/** In ms. */
const requestTimeout = 10_000;

/** The credentials of the robot. */
export type RobotSignIn = { readonly email: string; readonly password: string } | { readonly token: string };

/** The claims that a robot reads from its token. */
export interface RobotToken {
  readonly encoded: string;
  readonly bot: string;
  readonly mqtt: string;
  readonly mqttWs: string;
}

/** A failed request to the server; the message is a sentence. */
export class RobotError extends Error {
  /** The HTTP status; null without a response. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** Reads the payload of a token with a standard Base64 decoder. Throws {@link RobotError}. [rule R5] */
export function readToken(encoded: string): RobotToken {
  try {
    const claims: unknown = JSON.parse(atob(encoded.split('.')[1] ?? ''));
    if (isObject(claims)) {
      const { bot, mqtt, mqtt_ws } = claims;
      if (typeof bot === 'string' && typeof mqtt === 'string' && typeof mqtt_ws === 'string')
        return { encoded, bot, mqtt, mqttWs: mqtt_ws };
    }
  } catch {
    // Reported below, like a token without these claims.
  }
  throw new RobotError('This is not a valid token for a robot.');
}

/** Returns the first message of an error response. */
function reasonIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const first = isObject(body) ? Object.values(body).find((each) => typeof each === 'string') : undefined;
    if (typeof first === 'string') return toPrintable(first);
  } catch {
    // Not JSON: only the status is reported.
  }
  return '';
}

/** The methods of the server's API. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, and its response as far as the robot reads it. */
export interface RobotRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly redirect: 'follow' | 'manual';
  readonly signal: AbortSignal;
}
export interface RobotResponse {
  readonly status: number;
  readonly text: string;
  /** The final URL. */
  readonly url: string;
}

/** Sends a request, and rejects if there is no response. */
export type RobotTransport = (url: string, request: RobotRequest) => Promise<RobotResponse>;

const networkTransport: RobotTransport = async (url, request) => {
  const response = await withLateErrors(nodeFetch, () => fetch(url, request));
  return { status: response.status, text: await response.text(), url: response.url };
};

/** A client of the server's HTTP API. */
export class RobotApi {
  readonly #server: string;
  readonly #credentials: RobotSignIn;
  readonly #transport: RobotTransport;
  readonly #version: OsVersion;
  #token: RobotToken | null = null;

  /** `server`: `http://host:port`. */
  constructor(
    server: string,
    credentials: RobotSignIn,
    {
      transport = networkTransport,
      version = osVersions[0],
    }: { readonly transport?: RobotTransport | undefined; readonly version?: OsVersion | undefined } = {},
  ) {
    this.#server = server.replace(/\/+$/, '');
    this.#credentials = credentials;
    this.#transport = transport;
    this.#version = version;
  }

  /** Whether it can get a new token when its own is no longer valid. */
  get canSignIn(): boolean {
    return 'email' in this.#credentials;
  }

  /** Null before the first sign-in. */
  get token(): RobotToken | null {
    return this.#token;
  }

  /** Gets a token, or uses the given one. Throws {@link RobotError}. */
  async signIn(): Promise<RobotToken> {
    const token = 'token' in this.#credentials ? this.#credentials.token : await this.#freshToken(this.#credentials);
    this.#token = readToken(token);
    return this.#token;
  }

  clearToken(): void {
    this.#token = null;
  }

  /** Sends a request and returns the JSON of the response. Signs in again after a 401, if possible; not as OS 15.4. Throws {@link RobotError}. */
  async request(method: HttpMethod, path: string, body?: object): Promise<unknown> {
    const response = await this.#send(method, path, body);
    if (response.status !== 401 || !this.canSignIn || isOs154(this.#version)) return this.#read(path, response);
    await this.signIn();
    return this.#read(path, await this.#send(method, path, body));
  }

  get(path: string): Promise<unknown> {
    return this.request('GET', path);
  }

  /** Uploads a form without the token. `address`: `//host/path`, to which the server's scheme is added. Returns the final URL. Throws {@link RobotError}. [rule R18] */
  async upload(address: string, form: FormData): Promise<string> {
    const { status, text, url } = await this.#fetch(new URL(address, this.#server).href, {
      method: 'POST',
      headers: {},
      body: form,
      redirect: 'follow',
    });
    if (status < 200 || status > 299)
      throw new RobotError(reasonIn(text) || `The upload returned status ${status}.`, status);
    return url;
  }

  async #freshToken(user: { readonly email: string; readonly password: string }): Promise<string> {
    this.#token = null;
    const reply = this.#read('/api/tokens', await this.#send('POST', '/api/tokens', { user }));
    const token = isObject(reply) && isObject(reply.token) ? reply.token.encoded : undefined;
    if (typeof token !== 'string') throw new RobotError(`${this.#server} responded without a token.`);
    return token;
  }

  async #send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const headers: Record<string, string> = {
      // Above the minimum of servers. [rule R6]
      'User-Agent': `FarmbotOS/${this.#version} (virtual) virtual ()`,
      'Content-Type': 'application/json',
    };
    if (this.#token) headers.Authorization = `Bearer: ${this.#token.encoded}`;
    const url = `${this.#server}${path}`;
    // Redirects are not followed: they could lead scripts to other servers.
    return this.#fetch(url, { method, headers, redirect: 'manual', ...(body && { body: JSON.stringify(body) }) });
  }

  async #fetch(url: string, request: Omit<RobotRequest, 'signal'>): Promise<RobotResponse> {
    try {
      return await this.#transport(url, { ...request, signal: AbortSignal.timeout(requestTimeout) });
    } catch (error) {
      if (error instanceof RobotError) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? (errorCode(cause) ?? cause.name) : 'unknown';
      throw new RobotError(`${new URL(url).origin} is unreachable (${reason}).`);
    }
  }

  #read(path: string, { status, text }: { status: number; text: string }): unknown {
    if (status < 200 || status > 299) {
      const reason = reasonIn(text);
      throw new RobotError(reason === '' ? `${path} returned status ${status}.` : reason, status);
    }
    if (text === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      throw new RobotError(`${path} returned invalid JSON.`, status);
    }
  }
}
