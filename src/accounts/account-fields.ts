import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { isObject, objectOf } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { labelOf } from '../engine/field-label.ts';
import type { Fields, FieldValues, NamedFields } from '../engine/fields.ts';
import { boolean, text } from '../engine/fields.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { cleanText } from '../engine/kinds.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import { say } from './messages.ts';

/** Parsed values of a body; required fields are present. */
export type ParsedFields<F extends Fields, Required extends keyof FieldValues<F> = never> = Partial<FieldValues<F>> &
  Pick<FieldValues<F>, Required>;

/** Characters. [rule A2] */
export const minPasswordLength = 8;
/** Characters. [rule A2] */
export const maxEmailLength = 280;
/** Characters; our tokens have about 900. */
const maxResetTokenLength = 4096;

/** Characters of a password. */
export const maxPasswordLength = 1024;

const password = () => text().max(maxPasswordLength, 'field');
const emailAddress = () => text().max(maxEmailLength);

const language = () =>
  text().max(100).describe('As the user calls it. Mails to the account are in it if it is English or French.');

/** Fields of `POST /api/users`. */
export const signUpFields = {
  name: text().required().label(labels.name),
  email: emailAddress().required().label(labels.email),
  password: password().required().label(labels.password),
  password_confirmation: password().required().label(labels.passwordAgain),
  agree_to_terms: boolean().label(labels.terms),
  language: language().label(labels.language),
  invitation: text()
    .max(100, 'field')
    .describe(
      'The last part of the link in an invitation to this address. It permits signing up where sign-up is closed.',
    )
    .label('Invitation', 'Invitation'),
  administrator_code: text()
    .emptyAllowed()
    .max(100, 'field')
    .describe('The code that a server without accounts shows when it starts: the account becomes its administrator.')
    .label('Administrator code', 'Code d’administrateur'),
} satisfies NamedFields;

/** Fields of `PATCH /api/users`. */
export const userChangeFields = {
  name: text().label(labels.name),
  email: emailAddress().label(labels.email),
  language: language().label(labels.language),
  password: password().label(labels.password),
  new_password: password().label('New password', 'Nouveau mot de passe'),
  new_password_confirmation: password().label('New password again', 'Nouveau mot de passe encore une fois'),
} satisfies NamedFields;

/** Fields of `user` in `POST /api/tokens` without encrypted credentials. */
export const signInFields = {
  email: text().required().label(labels.email),
  password: password().required().label(labels.password),
};

/** Fields of `user` in `POST /api/tokens` with encrypted credentials. */
export const robotSignInFields = { credentials: text().required() };

/** Fields of `DELETE /api/users`. */
export const currentPasswordFields = { password: password().required().label(labels.password) };

/** Further field of `DELETE /api/users`. */
const namedGardens: JsonSchema = {
  type: 'array',
  items: { type: 'integer' },
  description:
    'The ids of the gardens that are deleted with the account, besides the home garden: those of which it is the last owner. Required if there are any.',
};

/** Fields of `POST /api/verification_mails`; the fields of `POST /api/users/resend_verification` are only documented. */
export const verificationFields = { email: emailAddress().required().label(labels.email) };

/** Fields of `POST /api/users/control_certificate`. */
export const certificateFields = {
  email: text().required().label(labels.email),
  password: password().required().label(labels.password),
};

/** Fields of `POST /api/password_resets`. */
export const resetRequestFields = { email: text().required().label(labels.email) };

/** Fields of `PUT /api/password_resets`, which sends the token as `id`. [rule A20] */
export const resetFields = {
  password: password().required().label(labels.password),
  password_confirmation: password().required().label(labels.passwordAgain),
  token: text().max(maxResetTokenLength, 'field').required().label('Token', 'Jeton'),
} satisfies NamedFields;

export const verificationRequest: JsonSchema = withExample(
  inputSchema(verificationFields, 'create', 'VerificationRequest'),
  {
    email: 'anna@example.com',
  },
);

/** Parses a body in which required fields must be present. Throws 422 with all failing fields. */
export function parseFields<F extends Fields, R extends keyof FieldValues<F> & string = never>(
  fields: F,
  body: Body,
): ParsedFields<F, R> {
  const parsed = parseBody(fields, body, 'create');
  assertValid(parsed);
  // The engine parses fields by name; its values have their types.
  return parsed.values as ParsedFields<F, R>;
}

/** Parses a body in which every field is optional. Throws 422 with all failing fields. */
export function parsePartialFields<F extends Fields>(fields: F, body: Body): ParsedFields<F> {
  const parsed = parseBody(fields, body, 'update');
  assertValid(parsed);
  return parsed.values as ParsedFields<F>;
}

/** JSON Schema of the body of requests that delete everything. */
export const passwordConfirmation: JsonSchema = withExample(
  inputSchema(currentPasswordFields, 'create', 'PasswordConfirmation'),
  { password: 'correct horse' },
);

/** JSON Schema of the body of the deletion of an account. */
export const accountDeletionBody: JsonSchema = withExample(
  {
    ...Type.Object({ password: Type.String(), gardens: Type.Optional(namedGardens) }),
    $id: 'AccountDeletion',
  },
  { password: 'correct horse' },
);

/** Returns the fields of a body; fields inside an object `user` win. [rule A1] */
export function flattenUser(body: unknown): Body {
  const outer = asBody(body);
  const { user } = outer;
  return isObject(user) ? { ...outer, ...user } : outer;
}

/** Returns the body if it is an object, else an empty one; the HTTP edge checks it where the route says so. */
export const asBody = (body: unknown): Body => objectOf(body);

/** Returns an e-mail address as it is stored and looked up: trimmed, in lower case. */
export const normalizeEmail = (raw: string): string => cleanText(raw).toLowerCase();

// The grammar of HTML forms. [rule A3]
const emailGrammar =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Returns the reason why a normalized address cannot be used, or null. `trustedDomains`: empty allows all. [decision 41] */
export function emailProblem(email: string, trustedDomains: readonly string[]): Message | null {
  if (!emailGrammar.test(email)) return say.noEmail(labelOf('email', labels.email));
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (trustedDomains.length > 0 && !trustedDomains.some((one) => one.toLowerCase() === domain))
    return say.untrustedDomain;
  return null;
}

/** Returns the reason why a new password is refused, or null. */
export function newPasswordProblem(chosen: string, confirmation: string): Message | null {
  if (chosen.length < minPasswordLength)
    return say.passwordTooShort(labelOf('password', labels.password), minPasswordLength);
  return chosen.normalize() === confirmation.normalize() ? null : say.passwordsDiffer;
}

/** Throws 422 if any field failed. `places`: the messages at the fields of people's forms. */
export function assertNoFailures(failures: FieldFailures, places?: FieldFailures): void {
  if (Object.keys(failures).length > 0) throw invalid(failures, places);
}

/** Returns `user` of a sign-in, empty if it is missing. Throws 422 `error` if it is not an object. */
export function signInBody(body: unknown): Body {
  const { user } = asBody(body);
  if (user === undefined) return {};
  if (!isObject(user)) throw refused(say.noUserInBody);
  return user;
}
