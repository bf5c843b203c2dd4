import type { Failure } from '../core/errors.ts';
import { jsonContentType, Reply } from '../engine/route.ts';

const textType = 'text/plain; charset=utf-8';

const retryAfter = (wait: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(wait / 1000))) });

/** The reply for a failure. `strategy` is null when the Authorization header was empty. [rule H7] */
export function renderFailure(failure: Failure, strategy: 'jwt' | null = 'jwt'): Reply {
  const { code, status, message, wait } = failure;
  switch (code) {
    case 'throttled':
      return new Reply(`${message}\n`, textType, status, wait === null ? {} : retryAfter(wait));
    case 'invalid':
      return new Reply(JSON.stringify(failure.fields ?? { error: message }), jsonContentType, status);
    case 'bad_token':
      return new Reply(JSON.stringify({ error: { jwt: message, strategy } }), jsonContentType, status);
    case 'stale_record':
      return new Reply(JSON.stringify({ stale_record: message }), jsonContentType, status);
    default:
      return new Reply(
        JSON.stringify({ error: message }),
        jsonContentType,
        status,
        wait === null ? {} : retryAfter(wait),
      );
  }
}

/** A failure as one line of text. */
export const renderText = (failure: Failure): Reply => new Reply(`${failure.message}\n`, textType, failure.status);

/** The reply for an unexpected error: only the request's id, under which the log has the details. */
export const renderUnknown = (id: string): Reply =>
  new Reply(JSON.stringify({ error: `Something went wrong on the server (${id}).` }), jsonContentType, 500);
