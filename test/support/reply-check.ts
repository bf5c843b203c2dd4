import { errorTable } from '../../src/core/errors.ts';
import type { Route } from '../../src/engine/route.ts';
import { repliesOf } from '../../src/engine/route.ts';
import { sharedFailuresByStatus } from '../../src/http/shared-failures.ts';
import { schemaProblem } from './schema-validator.ts';

/**
 * Throws if a response does not match its route: a status that neither the route nor the OpenAPI document declares, another
 * content type, a body that violates the schema, or a malformed error.
 */
export function checkReply(route: Route, status: number, type: string, text: string): void {
  const problem = problemOf(route, status, type, text);
  if (problem) throw new Error(`${route.method} ${route.path} ${status} ${problem}: ${text.slice(0, 400)}`);
}

function problemOf(route: Route, status: number, type: string, text: string): string | null {
  const declared = repliesOf(route)[status];
  const shared = sharedFailuresByStatus(route).get(status);
  if (declared === undefined && shared === undefined) return 'is not declared';
  if (status === 200 && route.streamedType === type) return null;
  if (declared === 'empty') return text === '' ? null : 'should be empty';
  if (status < 400 && (declared === 'text' || declared === 'html' || declared === 'binary')) return null;
  if (declared === 'text' && type.startsWith('text/plain')) return null;
  if (declared === 'html' && type.startsWith('text/html')) return null;
  const isRateLimit = status === 429 && (declared === undefined || type.startsWith('text/plain'));
  if (isRateLimit) return type.startsWith('text/plain') && text.trim() !== '' ? null : 'should be a line of text';
  if (!type.startsWith('application/json')) return `should be JSON, not ${type}`;
  const body: unknown = JSON.parse(text);
  const isReport = status === 503 && typeof declared === 'object';
  if (status >= 400 && !isReport && !isFailure(status, body)) return 'has not the shape of a failure';
  if (shared === 'Unread' && !isMalformedJson(body) && !isUnknown(body))
    return 'is declared for malformed JSON and unknown names only';
  return typeof declared === 'object' ? outside(declared, body) : null;
}

/** Whether JSON was refused because it is none, or more complex than JSON may be. */
const isMalformedJson = (body: unknown): boolean => {
  const { error } = body as { readonly error?: unknown };
  return error === String(errorTable.malformed_json[1]) || /^The JSON (?:is nested|has) more than /.test(String(error));
};

/** Whether names were refused that the route does not know, or half a page. */
const isUnknown = (body: unknown): boolean =>
  Object.values(body as object).every((each) =>
    /^\w.* is unknown here: |^(?:Page|Per) is required\.$/.test(String(each)),
  );

function outside(schema: object, body: unknown): string | null {
  const problem = schemaProblem(schema, body);
  return problem && `is outside its schema: ${problem}`;
}

const keysOf = (value: object): string => Object.keys(value).sort().join(' ');

/** Whether an error has one of the formats of errors. [rule H7] */
function isFailure(status: number, body: unknown): boolean {
  if (!isRecord(body)) return false;
  if (status === 422) return isFieldFailures(body);
  if (status === 409 && keysOf(body) === 'stale_record') return isSentence(body.stale_record);
  if (keysOf(body) !== 'error') return false;
  const { error } = body;
  if (status !== 401 || !isRecord(error)) return isSentence(error);
  return (
    keysOf(error) === 'jwt strategy' && isSentence(error.jwt) && (error.strategy === null || error.strategy === 'jwt')
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSentence = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const isFieldFailures = (value: Record<string, unknown>): boolean =>
  Object.keys(value).length > 0 && Object.values(value).every(isFieldFailure);

/** A message, the errors of a nested object, or of a list's entries with null for valid ones. */
function isFieldFailure(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((each) => each !== null) && value.every((each) => each === null || isFieldFailure(each));
  return isRecord(value) ? isFieldFailures(value) : isSentence(value);
}
