/** The error of one field: a message, the errors of a nested object, or one entry per array element (null where it is valid). */
export type FieldFailure = string | FieldFailures | (FieldFailure | null)[];

/** All invalid fields of a body and their messages. [rule V2] */
export interface FieldFailures {
  [field: string]: FieldFailure;
}

/** Error codes with their HTTP status and default message. */
export const errorTable = {
  bad_request: [400, 'A required parameter is missing.'],
  unauthenticated: [401, 'You need to send a token in the Authorization header.'],
  bad_token: [401, 'The token is not valid, has expired or was revoked. Sign in again.'],
  forbidden: [403, 'You are not allowed to do this.'],
  not_found: [404, 'Not found.'],
  stale_record: [409, 'This record was changed in the meantime. Load it again before changing it.'],
  conflict: [409, 'This was done already.'],
  body_too_large: [413, 'The request body is too large.'],
  address_too_long: [414, 'The request URL is too long.'],
  unsupported_type: [415, 'This content type is not supported.'],
  invalid: [422, 'Some fields are invalid.'],
  refused: [422, 'The request was refused.'],
  not_json: [422, 'The request body must be a JSON object.'],
  malformed_json: [422, 'The request body is not valid JSON.'],
  upgrade_required: [426, 'This version of the robot is too old. Please upgrade its operating system.'],
  throttled: [429, 'Too many requests. Please wait a few minutes and try again.'],
  too_many_open: [429, 'There are too many of these at the moment. Close one first.'],
  headers_too_large: [431, 'The request headers are too large.'],
  terms_not_accepted: [451, 'You must agree to the terms of service first.'],
  internal: [500, 'Something went wrong on the server.'],
  storage_full: [507, 'There is no room for more.'],
  unavailable: [503, 'The server is temporarily unavailable. Please try again in a moment.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof errorTable;

/** An error that is reported to the client. Thrown inside a request, it rolls back the request's transaction. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The invalid fields (code `invalid`); null for a body of `{error: message}`. */
  readonly fields: FieldFailures | null;
  /** How long the client should wait, in ms; null: not known. */
  readonly wait: number | null;

  constructor(code: ErrorCode, message?: string, fields: FieldFailures | null = null, wait: number | null = null) {
    super(message ?? errorTable[code][1]);
    this.name = 'Failure';
    this.code = code;
    this.status = errorTable[code][0];
    this.fields = fields;
    this.wait = wait;
  }
}

/** Returns a 422 with the body `{field: message}`. */
export const invalid = (fields: FieldFailures): Failure => new Failure('invalid', undefined, fields);

/** Returns a 422 with the body `{error: message}`, for a record that would violate a rule of its model. */
export const refused = (message: string): Failure => new Failure('refused', message);

/** Returns a 429 that says how long to wait, in ms. */
export const throttled = (wait: number, message?: string): Failure => new Failure('throttled', message, null, wait);

/** Returns a 404 whose message contains "not found", for which clients search. [rule V3] */
export const notFound = (what: string): Failure => new Failure('not_found', `${what} not found.`);
