import { Readable } from 'node:stream';
import type { Call } from './route.ts';

/** The differences from the request that a part belongs to. */
export type CallPart = Pick<Call, 'method' | 'params' | 'query' | 'body'>;

const noBytes = Buffer.alloc(0);

/** Returns a call of another operation on behalf of a request's caller. */
export const partCall = (whole: Call, part: CallPart): Call => ({
  ...part,
  rawBody: noBytes,
  bodyStream: Readable.from([]),
  headers: whole.headers,
  address: whole.address,
  hidesClient: whole.hidesClient,
  isLocal: whole.isLocal,
  host: whole.host,
  isSecure: whole.isSecure,
  isRobot: whole.isRobot,
  robotVersion: whole.robotVersion,
  userAgent: whole.userAgent,
  token: whole.token,
  session: whole.session,
  label: whole.label,
  responseSent: whole.responseSent,
});
