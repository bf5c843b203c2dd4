import type { ErrorCode } from '../core/errors.ts';
import { errorTable } from '../core/errors.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import type { NonJsonContent, Route } from '../engine/route.ts';
import type { Json } from './openapi-components.ts';

const sentence = { type: 'string', description: 'A human-readable message.' };
const closed = { additionalProperties: false };

/** The body of a 401. [rule H7] */
export const tokenFailure: Json = {
  $id: 'TokenFailure',
  type: 'object',
  ...closed,
  required: ['error'],
  properties: {
    error: {
      anyOf: [
        sentence,
        {
          type: 'object',
          ...closed,
          required: ['jwt', 'strategy'],
          properties: { jwt: sentence, strategy: { type: ['string', 'null'] } },
        },
      ],
    },
  },
};

type FailureForm = 'Failure' | 'TokenFailure' | 'FieldFailures' | 'text';

/** Failures that routes share, by their component names: the error code and the form of the body. */
const sharedFailures = {
  Unauthenticated: ['bad_token', 'TokenFailure'],
  Forbidden: ['forbidden', 'Failure'],
  TermsNotAccepted: ['terms_not_accepted', 'Failure'],
  NotFound: ['not_found', 'Failure'],
  TooLarge: ['body_too_large', 'Failure'],
  TooLargeInText: ['body_too_large', 'text'],
  Invalid: ['invalid', 'FieldFailures'],
  // After the one of routes that check values.
  Unread: ['malformed_json', 'FieldFailures'],
  UpgradeRequired: ['upgrade_required', 'Failure'],
  Throttled: ['throttled', 'text'],
  TooManyOpen: ['too_many_open', 'Failure'],
  Unavailable: ['unavailable', 'Failure'],
  BadRequest: ['bad_request', 'Failure'],
  Unauthorized: ['unauthenticated', 'Failure'],
  UnsupportedType: ['unsupported_type', 'Failure'],
  StorageFull: ['storage_full', 'Failure'],
} as const satisfies Record<string, readonly [ErrorCode, FailureForm]>;

const retryAfter: Json = {
  'Retry-After': { description: 'Seconds to wait, where that is known.', schema: { type: 'integer', minimum: 1 } },
};

/** A line of text: the rate limits', where a route has a 429 of its own as well. */
const textContent = (example: string): Json => ({ 'text/plain': { schema: { type: 'string' }, example } });

function responseOf(code: ErrorCode, form: FailureForm): Json {
  const [status, message] = errorTable[code];
  const description = String(message);
  const headers = status === errorTable.throttled[0] && { headers: retryAfter };
  if (form === 'text') return { description, ...headers, content: textContent(description) };
  const example = form === 'FieldFailures' ? { name: 'Name is required.' } : { error: description };
  const schema = { $ref: `#/components/schemas/${form}` };
  const content = {
    'application/json': { schema, example },
    ...(headers && textContent(String(errorTable.throttled[1]))),
  };
  return { description, ...headers, content };
}

/** Returns the name of the shared failure with this status and schema, if there is one. */
export function failureNamed(status: string, schema: JsonSchema | NonJsonContent): string | undefined {
  const form = schema === failureSchema ? 'Failure' : schema === fieldFailuresSchema ? 'FieldFailures' : null;
  const found = Object.entries(sharedFailures).find(
    ([, [code, own]]) => own === form && String(errorTable[code][0]) === status,
  );
  return found?.[0];
}

/** The shared failures as responses of the document, by their component names. */
export const failureResponses = (): Json =>
  Object.fromEntries(Object.entries(sharedFailures).map(([name, [code, form]]) => [name, responseOf(code, form)]));

export type SharedFailure = keyof typeof sharedFailures;

const sharedNames = (route: Route): readonly SharedFailure[] => [
  ...(route.access === 'token' ? (['Unauthenticated', 'Forbidden', 'TermsNotAccepted'] as const) : []),
  ...(/[:*]/.test(route.path) ? (['NotFound'] as const) : []),
  route.maxBodySize === undefined ? 'TooLarge' : 'TooLargeInText',
  // What the route does not use is refused only if it is JSON and malformed, or for clients that want strict handling.
  route.body || (route.access === 'token' && route.confirms) ? 'Invalid' : 'Unread',
  ...(route.acceptsAnyVersion ? [] : (['UpgradeRequired'] as const)),
  ...(route.rateLimit === 'none' ? [] : (['Throttled'] as const)),
  'Unavailable',
];

/** The failures of a route besides its own declared ones, by status. */
export function sharedFailuresByStatus(route: Route): ReadonlyMap<number, SharedFailure> {
  const found = new Map<number, SharedFailure>();
  for (const name of sharedNames(route)) {
    const [status] = errorTable[sharedFailures[name][0]];
    if (route.replies[status] === undefined) found.set(status, name);
  }
  return found;
}
