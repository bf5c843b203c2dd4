/** What a failing field's key holds: a sentence, the failures of a nested object, or one entry per array element (null: that one is fine). */
export type FieldFailure = string | FieldFailures | (FieldFailure | null)[];

/** Failing fields and their sentences, all of them at once. [reference: error JSON for field failures] */
export interface FieldFailures {
  [field: string]: FieldFailure;
}

/** Every way a request can fail that is not about single fields: code → status and default sentence. */
export const errorTable = {
  bad_request: [400, 'The request lacks a parameter that it needs.'],
  unauthenticated: [401, 'You need to send a token in the Authorization header.'],
  bad_token: [401, 'The token is not valid, has expired or was revoked. Sign in again.'],
  forbidden: [403, 'You are not allowed to do this.'],
  not_found: [404, 'Not found.'],
  stale_record: [409, 'This copy is out of date: load it again before changing it.'],
  conflict: [409, 'This was done already.'],
  body_too_large: [413, 'The request body is too large.'],
  address_too_long: [414, 'The address of the request is too long.'],
  unsupported_type: [415, 'Content of this type is not taken.'],
  invalid: [422, 'Some fields are not right.'],
  refused: [422, 'This cannot be done.'],
  not_json: [422, 'The request body must be a JSON object.'],
  malformed_json: [422, 'The request says that it is JSON, but it is not.'],
  upgrade_required: [426, 'This robot runs a version that is too old. Please upgrade its operating system.'],
  throttled: [429, 'Too many requests. Please wait a few minutes and try again.'],
  headers_too_large: [431, 'The headers of the request are too large.'],
  terms_not_accepted: [451, 'You must agree to the terms of service first.'],
  internal: [500, 'Something went wrong on the server.'],
  unavailable: [503, 'The server cannot answer just now. Please try again in a moment.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof errorTable;

/** A failure that a client is told about. Whoever throws it leaves nothing changed: the request's transaction rolls back. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Failing fields (code `invalid`); else null, and the body is `{error: message}`. */
  readonly fields: FieldFailures | null;

  constructor(code: ErrorCode, message?: string, fields: FieldFailures | null = null) {
    super(message ?? errorTable[code][1]);
    this.name = 'Failure';
    this.code = code;
    this.status = errorTable[code][0];
    this.fields = fields;
  }
}

/** 422 `{field: sentence}`. */
export const invalid = (fields: FieldFailures): Failure => new Failure('invalid', undefined, fields);

/** 422 `{error: sentence}`: a stored record would break a rule of its model. */
export const refused = (sentence: string): Failure => new Failure('refused', sentence);

/** 404 `{error}`: the sentence always holds "not found", which clients look for. [client web app] */
export const notFound = (what: string): Failure => new Failure('not_found', `${what} not found.`);
