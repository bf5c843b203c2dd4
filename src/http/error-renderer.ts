import type { Failure } from '../core/errors.ts';
import type { Reader } from '../core/message.ts';
import { jsonFor } from '../core/message.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { say } from './messages.ts';

const textType = 'text/plain; charset=utf-8';

const retryAfter = (wait: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(wait / 1000))) });

/** The body of a failure. `strategy` is null when the Authorization header was empty. [rule H7] */
function bodyOf({ code, sentence, fields, places }: Failure, reader: Reader, strategy: 'jwt' | null): object {
  if (code === 'bad_token') return { error: { jwt: sentence, strategy } };
  if (code === 'stale_record') return { stale_record: sentence };
  // People get a message where it belongs. [ADR 95]
  return (reader === 'api' ? null : places) ?? fields ?? { error: sentence };
}

/** The reply for a failure, for the reader of its message. */
export function renderFailure(failure: Failure, reader: Reader, strategy: 'jwt' | null = 'jwt'): Reply {
  const { code, status, wait } = failure;
  const headers = wait === null ? {} : retryAfter(wait);
  return code === 'throttled'
    ? renderText(failure, reader, headers)
    : new Reply(jsonFor(reader, bodyOf(failure, reader, strategy)), jsonContentType, status, headers);
}

/** A failure as one line of text. */
export const renderText = ({ sentence, status }: Failure, reader: Reader, headers = {}): Reply =>
  new Reply(`${sentence.in(reader)}\n`, textType, status, headers);

/** The reply for an unexpected error: only the request's id, under which the log has the details. */
export const renderUnknown = (id: string, reader: Reader): Reply =>
  new Reply(jsonFor(reader, { error: say.unknownError(id) }), jsonContentType, 500);
