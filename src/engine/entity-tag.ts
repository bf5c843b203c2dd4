import { hash } from 'node:crypto';
import type { JsonText } from '../db/scope.ts';
import type { RequestHeaders } from './route.ts';

/** Returns the weak entity tag of a text: the same for the same bytes. */
export const tagOf = (text: JsonText): string => `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

const tagPattern = /(?:W\/)?("[^"]*")/g;

/** Returns the entity tags in `If-None-Match`, without the `W/` of weak ones, or `*`; null if the client sent no such header. */
export function sentTags({ headers }: RequestHeaders): readonly string[] | null {
  const sent = headers['if-none-match'];
  if (typeof sent !== 'string') return null;
  return sent.trim() === '*' ? ['*'] : Array.from(sent.matchAll(tagPattern), ([, quoted = '']) => quoted);
}

/** Returns whether `If-None-Match` contains an entity tag, compared weakly (RFC 9110, 13.1.2); null if the client sent no such header. */
export function matchesTag(call: RequestHeaders, tag: string): boolean | null {
  const sent = sentTags(call);
  return sent && (sent.includes('*') || sent.includes(tag.replace(/^W\//, '')));
}

/** The reason why answers of some routes have no entity tag. [ADR 66] */
export const untagged = {
  overlaid: 'Times that are kept in memory are laid over what is stored.',
  momentary: 'It is a state of the moment, which is not stored.',
  issued: 'Each answer is a new permission.',
} as const;
