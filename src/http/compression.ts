import { pipeline, Readable } from 'node:stream';
import type { Encoding } from '../engine/content-encoding.ts';
import {
  acceptedEncodings,
  compress,
  compressAtOnce,
  compressor,
  isCompressible,
  maxSizeAtOnce,
} from '../engine/content-encoding.ts';
import type { RequestHeaders } from '../engine/route.ts';
import { Reply, StreamedReply } from '../engine/route.ts';

/** Bytes up to which a body is sent as it is. */
const maxPlainSize = 1024;
/** Bytes up to which a body is compressed before it is sent; larger ones are compressed while they are sent. */
const maxWholeSize = 256 * 1024;

/**
 * Returns the reply in the encoding that the client prefers; the same reply if the client accepts none, or if it is small, compressed
 * already or of a type that compression does not make smaller. [ADR 52]
 */
export function compressed(call: RequestHeaders, reply: Reply | StreamedReply): Reply | StreamedReply | Promise<Reply> {
  if (call.headers['accept-encoding'] === undefined) return reply;
  const size = reply instanceof Reply ? Buffer.byteLength(reply.body) : (reply.length ?? Number.POSITIVE_INFINITY);
  if (size <= maxPlainSize || !isCompressible(reply.type) || 'content-encoding' in reply.headers) return reply;
  const [encoding] = acceptedEncodings(call);
  if (!encoding) return reply;
  if (reply instanceof StreamedReply) return streamed(reply, reply.content, encoding);
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  if (bytes.length <= maxSizeAtOnce) return asEncoded(reply, compressAtOnce(bytes, encoding), encoding);
  return bytes.length > maxWholeSize
    ? streamed(reply, Readable.from([bytes]), encoding)
    : whole(reply, bytes, encoding);
}

const encoded = ({ headers }: Reply | StreamedReply, encoding: Encoding): Readonly<Record<string, string>> => ({
  ...headers,
  vary: 'accept-encoding',
  'content-encoding': encoding,
});

const asEncoded = (reply: Reply, bytes: Buffer, encoding: Encoding): Reply =>
  new Reply(bytes, reply.type, reply.status, encoded(reply, encoding));

const whole = async (reply: Reply, bytes: Buffer, encoding: Encoding): Promise<Reply> =>
  asEncoded(reply, await compress(bytes, encoding, 'once'), encoding);

function streamed(reply: Reply | StreamedReply, content: Readable, encoding: Encoding): StreamedReply {
  const transform = compressor(encoding, reply instanceof StreamedReply && reply.length === null);
  // An error of the content destroys the transform, which reports it.
  pipeline(content, transform, () => undefined);
  return new StreamedReply(transform, reply.type, {
    status: reply.status,
    headers: encoded(reply, encoding),
  });
}
