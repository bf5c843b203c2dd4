/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer;
}

/** The response to a request. */
export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

const isBrokerHook = /^\/+api\/+rmq\//;

/** Returns the problem of a response, or null. Errors are JSON objects with a message under `error` or under field names. */
export function responseProblem(
  { method, path }: SentRequest,
  { status, text, type }: ReceivedResponse,
): string | null {
  if (status >= 500) return 'failed';
  if (status < 400) return null;
  const isOneLine = status === 413 && path.startsWith('/api/password_resets');
  if (isOneLine || method === 'HEAD') return null;
  // Brokers expect a single word. [decision 2]
  if (isBrokerHook.test(path) && [403, 413, 422].includes(status)) return text === '' ? 'has no body' : null;
  // Missing pictures have an empty body.
  if (status === 404 && path.startsWith('/direct_upload/temp/') && text === '') return null;
  if (!type.startsWith('application/json')) return `has the content type ${type}`;
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'is not a JSON object';
  const messages = Object.values(body);
  const isMessage = (value: unknown) =>
    typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
  return messages.length > 0 && messages.every(isMessage) ? null : 'has no error message';
}

/** Summarizes a request. */
export const requestSummary = (sent: SentRequest): string =>
  `${sent.method} ${sent.path.slice(0, 120)} ${String(sent.body ?? '').slice(0, 300)}${(sent.body?.length ?? 0) > 300 ? '…' : ''}`;
