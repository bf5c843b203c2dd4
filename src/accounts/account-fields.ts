import type { TSchema } from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import type { Fields, FieldValues } from '../engine/fields.ts';
import { boolean, text } from '../engine/fields.ts';
import { textKind } from '../engine/kinds.ts';
import { inputSchema } from '../engine/schemas.ts';
import { maxPasswordLength } from './passwords.ts';

/** What a request says, each field read by its rules; required ones are there. */
export type Sent<F extends Fields, Required extends keyof FieldValues<F> = never> = Partial<FieldValues<F>> &
  Pick<FieldValues<F>, Required>;

/** Characters of a password at least. [Spec Users] */
const shortestPassword = 8;
/** Characters of an e-mail address at most. [reference] */
const longestEmail = 280;
/** Characters of a reset token at most; ours have about 900. */
const longestToken = 4096;

const password = () => text().max(maxPasswordLength, 'field');
const emailAddress = () => text().max(longestEmail);

/** What `POST /api/users` reads. */
export const signUpFields = {
  name: text().required(),
  email: emailAddress().required(),
  password: password().required(),
  password_confirmation: password().required(),
  agree_to_terms: boolean(),
  language: text().max(100),
};

/** What `PATCH /api/users` reads. */
export const userChangeFields = {
  name: text(),
  email: emailAddress(),
  language: text().max(100),
  password: password(),
  new_password: password(),
  new_password_confirmation: password(),
};

/** What `user` of `POST /api/tokens` holds, unless it has encrypted credentials. */
export const signInFields = {
  email: text().required(),
  password: password().required(),
  agree_to_terms: boolean(),
};

/** The same with encrypted credentials. */
export const robotSignInFields = { credentials: text().required() };

/** What `DELETE /api/users` reads. */
export const currentPasswordFields = { password: password().required() };

/** What `POST /api/users/control_certificate` reads. */
export const certificateFields = { email: text().required(), password: password().required() };

/** What `POST /api/password_resets` reads. */
export const resetRequestFields = { email: text().required() };

/** What `PUT /api/password_resets` reads; the token comes as `id`. */
export const resetFields = {
  password: password().required(),
  password_confirmation: password().required(),
  token: text().max(longestToken, 'field').required(),
};

/** Reads a body of which every required field must be there. Throws 422 with all failing fields. */
export function parseCreate<F extends Fields, R extends keyof FieldValues<F> & string = never>(
  fields: F,
  body: Body,
): Sent<F, R> {
  const reading = parseBody(fields, body, 'create');
  assertValid(reading);
  // The engine reads fields by name; what it gives has their types.
  return reading.values as Sent<F, R>;
}

/** Reads a body in which every field may be missing. Throws 422 with all failing fields. */
export function parseUpdate<F extends Fields>(fields: F, body: Body): Sent<F> {
  const reading = parseBody(fields, body, 'update');
  assertValid(reading);
  return reading.values as Sent<F>;
}

/** JSON Schema of a body whose fields may also lie in an object `user`, so that none is required at the top. [client web app] */
export function nestableSchema(fields: Fields, title: string): TSchema {
  const inner = inputSchema(fields, 'update', title);
  return { ...inner, properties: { ...(inner as { properties?: object }).properties, user: inner } } as TSchema;
}

/** The body's fields, with those nested under `user` over them. [client web app] */
export function unnested(body: unknown): Body {
  const outer = asBody(body);
  const { user } = outer;
  return isObject(user) ? { ...outer, ...user } : outer;
}

/** The body as an object; the HTTP edge made sure that it is one where a route asks for it. */
export const asBody = (body: unknown): Body => (isObject(body) ? body : {});

/** Text as fields store it: control characters become spaces, white space around it goes. */
export function cleanText(raw: string): string {
  const cleaned = textKind.parse(raw, 'text');
  return typeof cleaned === 'string' ? cleaned : '';
}

/** An e-mail address as it is stored and looked up: without white space around it, in lower case. */
export const normalizeEmail = (raw: string): string => cleanText(raw).toLowerCase();

// The grammar of HTML forms; a dot in the domain is not required. [reference]
const emailGrammar =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Why this (normal) address cannot be an account's, or null. `trusted` empty: every domain may. [decision 41] */
export function emailFailure(email: string, trusted: readonly string[]): string | null {
  if (!emailGrammar.test(email)) return 'Email is not an e-mail address.';
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (trusted.length > 0 && !trusted.some((one) => one.toLowerCase() === domain))
    return 'Email is not of a domain that may have accounts here.';
  return null;
}

/** Why this cannot be a new password, or null. */
export function newPasswordFailure(chosen: string, confirmation: string): string | null {
  if (chosen.length < shortestPassword)
    return `Password is too short: it needs at least ${shortestPassword} characters.`;
  return chosen === confirmation ? null : 'Password does not match its confirmation.';
}

/** Throws 422 with these fields, if there are any. */
export function refuse(failures: FieldFailures): void {
  if (Object.keys(failures).length > 0) throw invalid(failures);
}

/** `user` of a sign-in: an object, or missing. Throws 422 `error` for anything else. */
export function signInBody(body: unknown): Body {
  const { user } = asBody(body);
  if (user === undefined) return {};
  if (!isObject(user)) throw refused('The body needs an object "user" with "email" and "password".');
  return user;
}
