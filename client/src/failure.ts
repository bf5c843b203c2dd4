import type { components } from '../generated/api.ts';

/** The body of a failure: a sentence in `error`, or messages by field with status 422. Some failures are plain text. */
export type FailureBody =
  | components['schemas']['Failure']
  | components['schemas']['TokenFailure']
  | components['schemas']['FieldFailures']
  | string
  | undefined;

interface Result {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a result that succeeded. */
export type DataOf<R> = R extends { data: infer D; error?: never } ? D : never;

/** A response with a status of 400 or more. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly body: FailureBody;
  /** Messages by field with status 422, by path for nested fields: `body.0.args`. Else empty. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds after which the request may be repeated; null if the server did not say. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: FailureBody) {
    const fields = response.status === 422 ? messagesOf(body) : {};
    super(sentencesOf(body) || `${response.status} ${response.statusText}`);
    this.status = response.status;
    this.body = body;
    this.fields = fields;
    this.retryAfter = retryAfterOf(response);
  }
}

/** Returns the data of a request. Throws {@link Failure} if the server refused it. */
export function dataOf<R extends Result>(result: Promise<R>): Promise<DataOf<R>>;
export async function dataOf(result: Promise<Result & { error?: FailureBody }>): Promise<unknown> {
  const { data, error, response } = await result;
  if (!response.ok) throw new Failure(response, error);
  return data;
}

/** Reads the body of a response that failed. */
export async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    return new Failure(response, JSON.parse(text));
  } catch {
    return new Failure(response, text);
  }
}

/** The seconds in `Retry-After`, which contains a number or a date; null without a valid one. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** What a body says. That of a refused token also names the check, which is left out. */
function sentencesOf(body: FailureBody): string {
  const error = typeof body === 'object' ? body.error : undefined;
  return typeof error === 'object' && 'jwt' in error ? String(error.jwt) : Object.values(messagesOf(body)).join(' ');
}

/** All messages in a body by their paths. */
function messagesOf(body: unknown, path: readonly string[] = []): Record<string, string> {
  if (typeof body === 'string') return body === '' ? {} : { [path.join('.')]: body };
  if (typeof body !== 'object' || body === null) return {};
  return Object.assign({}, ...Object.entries(body).map(([key, value]) => messagesOf(value, [...path, key])));
}
