import { Message, messagesIn, sentences } from './message.ts';
import { recordNoun } from './resource-names.ts';

/** The error of one field: a message, the errors of a nested object, or one entry per array element (null where it is valid). */
export type FieldFailure = Message | FieldFailures | (FieldFailure | null)[];

/** All invalid fields of a body and their messages. [rule V2] */
export interface FieldFailures {
  [field: string]: FieldFailure;
}

/** The sentences of failures that have no other, by their codes. */
const say = messagesIn({
  pairs: {
    bad_request: ['A required parameter is missing.', 'Un paramètre obligatoire manque.'],
    unauthenticated: ['Sign in first.', 'Connectez-vous d’abord.'],
    bad_token: ['Your session has ended. Sign in again.', 'Votre session est terminée. Connectez-vous de nouveau.'],
    forbidden: ['You are not allowed to do this.', 'Vous n’avez pas le droit de faire cela.'],
    not_found: ['Not found.', 'Introuvable.'],
    conflict: ['This was done already.', 'C’est déjà fait.'],
    body_too_large: ['The request body is too large.', 'La requête est trop grande.'],
    address_too_long: ['The request URL is too long.', 'L’adresse de la requête est trop longue.'],
    unsupported_type: ['This content type is not supported.', 'Ce type de contenu n’est pas pris en charge.'],
    invalid: ['Some fields are invalid.', 'Certains champs ne sont pas valides.'],
    refused: ['The request was refused.', 'La requête a été refusée.'],
    not_json: ['The request body must be a JSON object.', 'La requête doit être un objet JSON.'],
    malformed_json: ['The request body is not valid JSON.', 'La requête n’est pas du JSON valide.'],
    headers_too_large: ['The request headers are too large.', 'Les en-têtes de la requête sont trop grands.'],
    internal: ['Something went wrong on the server.', 'Une erreur s’est produite sur le serveur.'],
    storage_full: ['There is no room for more.', 'Il n’y a plus de place.'],
    addressNotFound: ['This address was not found.', 'Cette adresse est introuvable.'],
  },
  en: {
    stale_record: 'This record was changed in the meantime. Load it again before changing it.',
    upgrade_required: 'This version of the robot is too old. Please upgrade its operating system.',
    throttled: 'Too many requests. Please wait a few minutes and try again.',
    too_many_open: 'There are too many of these at the moment. Close one first.',
    terms_not_accepted: 'You must agree to the terms of service first.',
    unavailable: 'The server is temporarily unavailable. Please try again in a moment.',
    notFound: (what: string) => `${what} not found.`,
  },
  fr: {
    stale_record: 'Cet élément a changé entre-temps. Rechargez-le avant de le modifier.',
    upgrade_required: 'Cette version du robot est trop ancienne. Mettez son système à jour.',
    throttled: 'Trop de requêtes. Attendez quelques minutes et réessayez.',
    too_many_open: 'Il y en a trop en ce moment. Fermez-en un d’abord.',
    terms_not_accepted: 'Acceptez d’abord les conditions d’utilisation.',
    unavailable: 'Le serveur est momentanément indisponible. Réessayez dans un instant.',
    notFound: (what) => `Introuvable : ${what}.`,
  },
  api: {
    unauthenticated: 'You need to send a token in the Authorization header.',
    bad_token: 'The token is not valid, has expired or was revoked. Sign in again.',
  },
});

/** Error codes with their HTTP status and default message. */
export const errorTable = {
  bad_request: [400, say.bad_request],
  unauthenticated: [401, say.unauthenticated],
  bad_token: [401, say.bad_token],
  forbidden: [403, say.forbidden],
  not_found: [404, say.not_found],
  stale_record: [409, say.stale_record],
  conflict: [409, say.conflict],
  body_too_large: [413, say.body_too_large],
  address_too_long: [414, say.address_too_long],
  unsupported_type: [415, say.unsupported_type],
  invalid: [422, say.invalid],
  refused: [422, say.refused],
  not_json: [422, say.not_json],
  malformed_json: [422, say.malformed_json],
  upgrade_required: [426, say.upgrade_required],
  throttled: [429, say.throttled],
  too_many_open: [429, say.too_many_open],
  headers_too_large: [431, say.headers_too_large],
  terms_not_accepted: [451, say.terms_not_accepted],
  internal: [500, say.internal],
  storage_full: [507, say.storage_full],
  unavailable: [503, say.unavailable],
} as const satisfies Record<string, readonly [number, Message]>;

export type ErrorCode = keyof typeof errorTable;

/** The properties of a failure besides its code and its message. */
interface FailureDetails {
  /** The invalid fields (code `invalid`). */
  readonly fields?: FieldFailures;
  /** The fields that the message is about, for people, whose forms show it there. [ADR 95] */
  readonly places?: FieldFailures;
  /** How long the client should wait, in ms. */
  readonly wait?: number | null;
}

/** An error that is reported to the client. Thrown inside a request, it rolls back the request's transaction. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The message for its reader; an Error's is the API's English. */
  readonly sentence: Message;
  /** The invalid fields (code `invalid`); null for a body of `{error: message}`. */
  readonly fields: FieldFailures | null;
  readonly places: FieldFailures | null;
  /** How long the client should wait, in ms; null: not known. */
  readonly wait: number | null;

  constructor(code: ErrorCode, sentence: Message = errorTable[code][1], details: FailureDetails = {}) {
    super(String(sentence));
    this.name = 'Failure';
    this.code = code;
    this.status = errorTable[code][0];
    this.sentence = sentence;
    this.fields = details.fields ?? null;
    this.places = details.places ?? null;
    this.wait = details.wait ?? null;
  }
}

/** Returns the messages of a field, and of its parts. */
export function messagesOf(failure: FieldFailure | null): Message[] {
  if (failure instanceof Message) return [failure];
  return Object.values(failure ?? {}).flatMap(messagesOf);
}

/** Returns the messages of a failure as one. */
export const reasonOf = ({ fields, sentence }: Failure): Message => sentences(messagesOf(fields ?? sentence));

/** Returns a 422 with the body `{field: message}`. `places`: the messages at the fields of people's forms, if they differ. */
export const invalid = (fields: FieldFailures, places?: FieldFailures): Failure =>
  new Failure('invalid', undefined, { fields, ...(places && { places }) });

/** Returns a 422 with the body `{error: message}`, for a record that would violate a rule of its model. */
export const refused = (sentence: Message, places?: FieldFailures): Failure =>
  new Failure('refused', sentence, places && { places });

/** Returns a 429 with the time to wait, in ms. */
export const throttled = (wait: number, sentence?: Message): Failure => new Failure('throttled', sentence, { wait });

/** Returns a 404 whose message contains "not found", for which clients search. [rule V3] */
export const notFound = (what: string | Message): Failure =>
  new Failure('not_found', say.notFound(typeof what === 'string' ? recordNoun(what) : what));

/** Returns the 404 of an unknown path. */
export const addressNotFound = (): Failure => new Failure('not_found', say.addressNotFound);
