import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from '../generated/api.ts';
import type { Session } from './session.ts';

export { dataOf, Failure, type FailureBody } from './failure.ts';
export { type Account, type Session, type SessionOptions, session, signIn, type UserSession } from './session.ts';
export { type StreamItem, type StreamPath, type StreamRequest, stream } from './stream.ts';

/** Every operation of the API: `api.GET('/api/points')`, `api.POST('/api/tools', { body })`. */
export type Api = Client<paths>;

/** Returns the operations of a server, with their types. A result contains `data`, or `error` of the failure. */
export const createApi = ({ server, fetch }: Session): Api => createFetchClient<paths>({ baseUrl: server, fetch });
